# Runs a step for one person and prints what came of it. Python 3.9 or later, no packages: python3 client.py person-3
import json, os, sys, uuid
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

URL = os.environ.get("TOOLYARD_URL", "http://127.0.0.1:8750")
HEADERS = {"Authorization": f"Bearer {os.environ['TOOLYARD_TOKEN']}", "Content-Type": "application/json"}

class Failure(Exception):
    """Why a call has no answer: `problem` has code, detail, retryable, actor and, of a run, runId."""
    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.problem = problem

class NoRedirects(HTTPRedirectHandler):
    """urllib would send the token on to wherever a redirect leads."""
    def redirect_request(self, *_):
        return None

opener = build_opener(NoRedirects)

def call(method, path, body=None, query=None, headers=None, timeout=180):
    """Calls the API once. Nothing is repeated: only who calls knows whether a write may happen twice."""
    data = None if body is None else json.dumps(body).encode()
    address = URL + path + (f"?{urlencode(query, doseq=True)}" if query else "")
    try:
        with opener.open(Request(address, data, {**HEADERS, **(headers or {})}, method=method), timeout=timeout) as reply:
            text = reply.read()
            return json.loads(text) if text else None
    except HTTPError as error:
        text = error.read()
        if error.headers.get_content_type() != "application/problem+json":
            raise
        raise Failure(json.loads(text)) from None

def run(integration, step, input, key=None, **options):
    """Runs a step; `options` are person, connection, dryRun, maxCredits. A repeat with the same `key` does nothing again."""
    path = f"/v1/steps/{quote(integration, safe='')}/{quote(step, safe='')}/run"
    return call("POST", path, {"input": input, **options}, headers={"Idempotency-Key": key or str(uuid.uuid4())})["output"]

if __name__ == "__main__":
    try:
        options = {"person": sys.argv[1]} if len(sys.argv) > 1 else {}
        for board in run("work-board", "get-boards", {"lists": "open"}, **options)["boards"]:
            print(board["name"])
        print(call("GET", "/v1/usage", query={"by": "person"})["totals"])
    except Failure as failure:
        print(failure)
