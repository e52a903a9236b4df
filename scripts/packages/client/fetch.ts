import type { Send } from './client.ts'

/** A `send` function for platforms whose packages may use Node's fetch. */
export const sendByFetch: Send = async ({ method, url, headers, body }) => {
  const reply = await fetch(url, {
    method,
    headers,
    redirect: 'error',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
  return {
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    body: new Uint8Array(await reply.arrayBuffer()),
  }
}
