"""Threads that talk over sockets, wait for each other, fork and start children. What it prints is the same each time."""
import hashlib
import multiprocessing
import os
import queue
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import zlib

CLIENTS = 8
ROUNDS = 200


def answer(connection):
    with connection:
        while data := connection.recv(4096):
            connection.sendall(hashlib.sha256(data).hexdigest().encode())


def serve(server):
    workers = [threading.Thread(target=answer, args=(server.accept()[0],)) for _ in range(CLIENTS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def ask(port, number, answers):
    total = 0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for i in range(ROUNDS):
            connection.sendall(b"%d %d" % (number, i))
            total += int(connection.recv(64, socket.MSG_WAITALL)[:8], 16)
    answers.put((number, total))


def square(n):
    return n * n


def main():
    server = socket.create_server(("127.0.0.1", 0), backlog=CLIENTS)
    answers = queue.Queue()
    threads = [threading.Thread(target=serve, args=(server,))]
    port = server.getsockname()[1]
    threads += [threading.Thread(target=ask, args=(port, number, answers)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(answers.queue))

    alarms = []
    signal.signal(signal.SIGALRM, lambda number, frame: alarms.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.pause()
    print(alarms)

    print([subprocess.run([sys.executable, "-c", f"print({i} ** 2)"], capture_output=True).stdout for i in range(4)])
    print(subprocess.run("kill -9 $$", shell=True).returncode)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(sum(pool.map(square, range(1000))))
    child = os.fork()
    if child == 0:
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    database = sqlite3.connect(":memory:")
    database.execute("create table t (x)")
    database.executemany("insert into t values (?)", ((i,) for i in range(1000)))
    print(database.execute("select count(*), sum(x) from t").fetchone())
    print(zlib.crc32(zlib.compress(b"x" * 100000)))
    try:
        socket.create_connection(("127.0.0.1", 1), timeout=1)
    except OSError as error:
        print(error)
    sys.exit(3)


main()
