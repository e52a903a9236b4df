/** Outgoing requests of the sandbox: to loopback addresses only, without following redirects. */
import { request as secure } from 'node:https'
import { isIPv4 } from 'node:net'
import type { Schedule } from './records.ts'

// Importing `node:http` with a statement would also load Node's own fetch.
const { request: plain } = process.getBuiltinModule('node:http')

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

/**
 * Resolves to the answer's status, or to 0 when no answer came in time, the connection failed, or the address is not a
 * loopback address.
 */
export const sendOut = (outgoing: Outgoing, schedule: Schedule): Promise<number> =>
  new Promise((resolve) => {
    if (!isLoopback(outgoing.url)) return resolve(0)
    const { method, url, body } = outgoing
    const headers =
      method === 'POST' ? { ...outgoing.headers, 'content-length': String(Buffer.byteLength(body)) } : outgoing.headers
    const start = new URL(url).protocol === 'https:' ? secure : plain
    const sent = start(url, { method, headers, agent: false }, (response) => {
      response.resume()
      response.on('error', () => finish(0))
      finish(response.statusCode ?? 0)
    })
    const cancel = schedule(outgoing.timeoutMs, () => {
      sent.destroy()
      finish(0)
    })
    const finish = (status: number): void => {
      cancel()
      resolve(status)
    }
    sent.on('error', () => finish(0))
    sent.end(method === 'POST' ? body : undefined)
  })
