# A master with two workers, the log reopened, under wrk; then ended by a signal. The program alone is fetched: to
# install it would start a service.
# NEEDS: wrk curl
# SEES: epoll_wait accept4 sendfile64|sendfile writev fork
. "$HERE/lib.sh"
nginx=$(command -v nginx) || { fetch nginx && nginx=$FETCHED/nginx/usr/sbin/nginx; } || skip "no nginx, and it could not be fetched"
ldd "$nginx" | grep -q "not found" && skip "nginx lacks libraries here"
port=$(free_port)
mkdir site logs
seq 20000 >site/numbers
echo hello >site/index.html
cat >nginx.conf <<END
daemon off;
worker_processes 2;
user root;
pid $PWD/nginx.pid;
error_log $PWD/logs/error.log warn;
events { worker_connections 256; }
http {
    access_log $PWD/logs/access.log;
    client_body_temp_path $PWD/body; proxy_temp_path $PWD/proxy; fastcgi_temp_path $PWD/fastcgi;
    uwsgi_temp_path $PWD/uwsgi; scgi_temp_path $PWD/scgi;
    gzip on; gzip_types *; gzip_min_length 0;
    sendfile on;
    server { listen 127.0.0.1:$port; root $PWD/site; }
}
END
traced "$nginx" -p "$PWD" -e logs/error.log -c nginx.conf -t 2>&1
serve "$nginx" -p "$PWD" -e logs/error.log -c nginx.conf
listening "$port"
url=127.0.0.1:$port scheme=http:
curl -sS "$url/" "$url/nothing" | grep -v '<center>nginx'
curl -sS "$url/numbers" | sha256sum
curl -sS --compressed "$url/numbers" | sha256sum
traced wrk -t2 -c8 -d"$([ "$LONG" = 1 ] && echo 10 || echo 1)"s "${scheme}//$url/" >wrk.out 2>&1
grep -E 'Socket errors|Non-2xx' wrk.out
sed -n 's/[0-9.]* requests in .*/requests/p' wrk.out
kill -USR1 $server
sleep 0.2
curl -sS "$url/" >/dev/null
kill -HUP $server
sleep 0.3
curl -sS "$url/"
end QUIT
cat server.out
sed 's/^[^[]*//; s/[0-9]*#[0-9]*:.*open()/open()/; s/:[0-9]*"$//' logs/error.log
