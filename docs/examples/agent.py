# An agent that makes a card when a comment is added. Python 3.9 or later, no packages: python3 agent.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

URL, PORT = os.environ.get("TOOLYARD_URL", "http://127.0.0.1:8750"), int(os.environ.get("PORT", "8801"))
BEARER, SECRET = f"Bearer {os.environ['TOOLYARD_TOKEN']}", os.environ["AGENT_SECRET"]

def is_signed(headers, body):
    """Standard Webhooks: while the secret is rotated there are two signatures, and one of them matches."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    claims = (headers["webhook-signature"] or "").encode().split()
    is_genuine = any(hmac.compare_digest(expected, claim) for claim in claims)
    return is_genuine and abs(time.time() - float(headers["webhook-timestamp"])) < 300

def make_card(start, connection, event, **_):
    """A start that arrives twice makes one card, and what the card changes starts no agent in turn."""
    headers = {"Authorization": BEARER, "Content-Type": "application/json", "Start-Id": start, "Idempotency-Key": start}
    values = {"idList": event["list"]["id"], "name": f"Answer: {event['text']}"[:200]}
    body = json.dumps({"connection": connection, "input": values}).encode()
    with urlopen(Request(f"{URL}/v1/steps/work-board/create-card/run", body, headers)) as response:
        return f"Made the card {json.load(response)['output']['name']}"

class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_signed(self.headers, body):
            return self.send_error(401, "The signature does not match AGENT_SECRET")
        data = json.loads(body)["data"]
        # Nothing has happened when a sample arrives. Without an answer, the start is sent again later.
        said = "The sample arrived" if data.get("test") else make_card(**data)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(said.encode())

server = ThreadingHTTPServer(("", PORT), Agent)
print(f"The agent listens on port {PORT}", flush=True)
server.serve_forever()
