# Archives and compressors in threads and behind pipes.
# NEEDS: tar zstd
# SEES: openat|openat64 write
. "$HERE/lib.sh"
mkdir tree
cp -rL /usr/include/linux tree/
ln -s linux/if.h tree/link
ln tree/linux/if.h tree/hard
traced tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf tree.tar tree
sha256sum <tree.tar
traced zstd -q -T2 -5 tree.tar -o tree.tar.zst
sha256sum <tree.tar.zst
traced tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -I 'zstd -3 -T1' -cf both.tar.zst tree
echo "status $?"
sha256sum <both.tar.zst
mkdir out
traced tar -xf both.tar.zst -C out
diff -r tree out/tree && echo "the tree is the same"
traced tar -tvf tree.tar.zst | sha256sum
traced tar -cf none.tar nothing 2>&1
echo "status $?"
traced gzip -9nk tree.tar
sha256sum <tree.tar.gz
