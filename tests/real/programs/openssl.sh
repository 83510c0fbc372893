# Ciphers, digests, keys, and a measurement that a timer ends by a signal.
# NEEDS: openssl
# SEES: fopen64|fopen BIO_write EVP_EncryptUpdate
. "$HERE/lib.sh"
seq 100000 >plain
for cipher in aes-256-cbc chacha20; do
    traced openssl enc -$cipher -pbkdf2 -iter 1000 -S 0011223344556677 -k secret -in plain -out secret 2>&1
    sha256sum <secret
    traced openssl enc -d -$cipher -pbkdf2 -iter 1000 -S 0011223344556677 -k secret -in secret -out again 2>&1
    cmp plain again && echo "$cipher is the same"
done
traced openssl dgst -sha256 -sha3-512 plain
traced openssl enc -d -aes-256-cbc -pbkdf2 -k wrong -in plain -out again 2>&1 | sed 's/^[0-9A-F]*:/ID:/'
# What it measures differs from run to run: the rows and columns must be there.
traced openssl speed -seconds 1 -bytes 1024 sha256 aes-128-cbc 2>speed.err | sed -n 's/  *[0-9.]*k$/ NUMBER/p'
sed 's/[0-9][0-9.]*/N/g' speed.err
traced openssl genpkey -algorithm ed25519 -out key.pem 2>&1
traced openssl req -x509 -key key.pem -subj /CN=localhost -days 1 -out certificate.pem 2>&1
traced openssl x509 -in certificate.pem -noout -subject
