#!/usr/bin/env python3
"""Private memory (RssAnon, in kB) of a question with 200 events, read when the program is about to exit.

    memory.py PPLX
"""
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

EVENTS = 200
# The exit waits so long for its memory to be read, in microseconds.
EXIT_DELAY = 500_000


def event(number):
    last = number == EVENTS
    pages = [{"name": f"Page {n}", "url": f"https://page{n}.example/", "snippet": "words " * 60} for n in range(10)]
    text = {"chunks": [f"word {number} of many "], "chunk_starting_offset": number - 1}
    blocks = [
        {"intended_usage": "ask_text", "markdown_block": text},
        {"intended_usage": "web_results", "web_result_block": {"web_results": pages}},
    ]
    frame = {
        "status": "COMPLETED" if last else "PENDING",
        "final": last,
        "display_model": "pplx_pro_upgraded",
        "backend_uuid": "entry-1",
        "blocks": blocks,
    }
    return f"event: message\r\ndata: {json.dumps(frame)}\r\n\r\n".encode()


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number in range(1, EVENTS + 1):
            self.wfile.write(event(number))

    def log_message(self, *_):
        pass


def private_memory(program, environment):
    delay = f"inject=exit_group:delay_enter={EXIT_DELAY}"
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=exit_group", "-e", delay]
    question = [program, "search", "--timeout", "20", "words"]
    run = subprocess.Popen(command + question, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    memory = 0
    while run.poll() is None:
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{process}/exe") == program:
                    status = open(f"/proc/{process}/status").read()
                    memory = max(memory, int(re.search(r"RssAnon:\s+(\d+)", status).group(1)))
            except (OSError, AttributeError):
                pass
        time.sleep(0.01)
    return memory


def main():
    program = os.path.realpath(sys.argv[1])
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        token = "eyJhbGciOiJub25lIn0.eyJleHAiOjQxMDI0NDQ4MDB9.c2ln"
        url = f"http://127.0.0.1:{service.server_port}"
        environment = {"HOME": home, "PATH": os.environ["PATH"], "PPLX_BASE_URL": url, "PPLX_TOKEN": token}
        private_memory(program, environment)  # The first run creates the state database.
        print(sorted(private_memory(program, environment) for _ in range(5))[2])


if __name__ == "__main__":
    main()
