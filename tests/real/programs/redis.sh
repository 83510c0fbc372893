# redis-server, which is redis-check-rdb by another name in Debian, under redis-benchmark; saves in a forked child; loads.
# NEEDS: redis-check-rdb redis-benchmark redis-cli
# SEES: epoll_wait accept4|accept fork
. "$HERE/lib.sh"
[ "$LONG" = 1 ] && requests=200000 || requests=20000
ln -s "$(command -v redis-check-rdb)" redis-server
port=$(free_port)

start() {
    serve ./redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --loglevel warning
    listening "$port"
}

ask() {
    redis-cli -p "$port" "$@"
}

start
traced redis-benchmark -p "$port" -n "$requests" -q -t ping,set,get,incr,lpush,lpop,sadd,mset -P 4 2>benchmark.err |
    tr '\r' '\n' | sed -n 's/: [0-9.]* requests per second.*//p' | sort -u
cat benchmark.err
ask get counter:__rand_int__
ask llen mylist
ask scard myset
ask dbsize
ask nosuchcommand
ask bgsave
until [ "$(ask info persistence | tr -d '\r' | sed -n 's/^rdb_bgsave_in_progress://p')" = 0 ]; do sleep 0.05; done
ask info persistence | grep rdb_last_bgsave_status
end TERM
start
ask dbsize
ask get counter:__rand_int__
end TERM
sed 's/^[0-9]*:/PID:/; s/ [0-9].* [*#] / /; s/pid=[0-9]*/pid=PID/; s/([0-9]*)/(TIME)/' server.out
