/** Outgoing requests of the sandbox: to loopback addresses only, without following redirects. */
import type { IncomingMessage } from 'node:http'
import { request as secure } from 'node:https'
import { isIPv4 } from 'node:net'

// Importing `node:http` with a statement would also load Node's own fetch.
const { request: plain } = process.getBuiltinModule('node:http')

/** Calls `run` after `ms` milliseconds; the returned function cancels it. Tests inject one to drive retries by hand. */
export type Schedule = (ms: number, run: () => void) => () => void

export const realSchedule: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

export const isLoopback = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
}

export type Outgoing = {
  method: 'HEAD' | 'POST'
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
}

/** `body`: its first 64 KiB. */
export type Reply = { status: number; contentType: string; body: string }
const noReply: Reply = { status: 0, contentType: '', body: '' }
const maxReplyBytes = 65_536

const readReply = (response: IncomingMessage, finish: (reply: Reply) => void): void => {
  const chunks: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    if (length < maxReplyBytes) chunks.push(chunk)
    length += chunk.byteLength
  })
  response.on('error', () => finish(noReply))
  response.on('end', () =>
    finish({
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type'] ?? '',
      body: Buffer.concat(chunks).subarray(0, maxReplyBytes).toString('utf8'),
    }),
  )
}

/**
 * The status of the reply is 0 when no complete reply came in time, the connection failed, or the address is not a
 * loopback address.
 */
export const sendOut = (outgoing: Outgoing, schedule: Schedule): Promise<Reply> =>
  new Promise((resolve) => {
    if (!isLoopback(outgoing.url)) return resolve(noReply)
    const { method, url, body } = outgoing
    const headers =
      method === 'POST' ? { ...outgoing.headers, 'content-length': String(Buffer.byteLength(body)) } : outgoing.headers
    const start = new URL(url).protocol === 'https:' ? secure : plain
    const sent = start(url, { method, headers, agent: false }, (response) => readReply(response, finish))
    const cancel = schedule(outgoing.timeoutMs, () => {
      sent.destroy()
      finish(noReply)
    })
    const finish = (reply: Reply): void => {
      cancel()
      resolve(reply)
    }
    sent.on('error', () => finish(noReply))
    sent.end(method === 'POST' ? body : undefined)
  })
