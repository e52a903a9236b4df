/** Requests to a server that is killed and started again. */
import { setTimeout as wait } from 'node:timers/promises'

/** The operator's token of the servers that these suites start. */
export const operator = 'a-token-chosen-by-the-operator'

/** `method`: GET without a body, else POST. */
export type Sent = { method?: string; body?: unknown; token?: string; key?: string | undefined }
/** `cuts`: how often the server was killed between the request and its answer, so that the same was sent again. */
export type Answer = { status: number; json: any; cuts: number }

const isRefused = (thrown: unknown) => (thrown as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'

/** Sends the request until it is answered, as a client does whose server restarts. */
export const sendTo = async (
  url: string,
  { body, method = body === undefined ? 'GET' : 'POST', token = operator, key }: Sent = {},
): Promise<Answer> => {
  for (let cuts = 0; ; await wait(20))
    try {
      const reply = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (reply.status !== 503 && reply.status !== 429)
        return { status: reply.status, json: text === '' ? undefined : JSON.parse(text), cuts }
    } catch (thrown) {
      if (!isRefused(thrown)) cuts += 1
    }
}

/** The same, for requests that must not be refused. Returns the answer's body. */
export const mustAt =
  (address: string) =>
  async (path: string, options?: Sent): Promise<any> => {
    const { status, json } = await sendTo(`${address}${path}`, options)
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }
