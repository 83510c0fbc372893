# Many short processes: objects, packs, a merge, a clone, failures.
# NEEDS: git
# SEES: open64 lstat64 read execve
. "$HERE/lib.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@d
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'

git() {
    traced git "$@"
    local status=$?
    [ $status = 0 ] || echo "git $1: status $status"
}

git init -q -b main repository && cd repository || exit 1
mkdir -p deep/er
for i in $(seq 200); do seq "$i" $((i + 50)) >"deep/er/$i"; done
git add .
git commit -q -m "one"
git status
echo changed >deep/er/7
rm deep/er/8
echo new >new
git status --short
git diff --stat
git commit -q -a -m "two"
git checkout -q -b side HEAD~1
echo other >other
git add other
git commit -q -m "three"
git merge -q -m "four" main
git log --graph --format='%H %s' --stat
git gc -q
git fsck --full
git clone -q . ../clone
git -C ../clone rev-list --objects --all
git log --no-such-option 2>&1
git grep -c 77 HEAD
git archive --format=tar HEAD | sha256sum
