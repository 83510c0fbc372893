# curl against Python's server; the server is traced too.
# NEEDS: curl /usr/bin/python3
# SEES: connect recv|read|recvfrom poll getaddrinfo|socket
. "$HERE/lib.sh"
port=$(free_port)
mkdir site
seq 200000 >site/numbers
serve /usr/bin/python3 -m http.server --directory site --bind 127.0.0.1 "$port"
listening "$port"
url=127.0.0.1:$port
traced curl -sS "$url/numbers" | sha256sum
traced curl -sS -o one -o two -w '%{http_code} %{size_download} %{content_type}\n' "$url/numbers" "$url/nothing"
sha256sum one two
traced curl -s --parallel "$url/numbers" "$url/numbers" -o three -o four 2>/dev/null # a progress meter, -s or not
sha256sum three four
traced curl -sS -f "localhost:$port/nothing" 2>&1
echo "status $?"
traced curl -sS 127.0.0.1:1 2>&1 | sed 's/after [0-9]* ms/after N ms/'
traced curl -sS "file://$PWD/site/numbers" | sha256sum
traced curl --version | head -n 1
end TERM
