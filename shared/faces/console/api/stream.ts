/**
 * Live events and starts: one request for server-sent events, shared by all listeners and open while there is at least
 * one.
 */
import { signal } from '@preact/signals'
import { request } from './client.ts'

export type Change = { kind: string; row: Record<string, unknown> & { id: string } }
/** `live`: the page shows current data. `lost`: reconnecting; listeners read their data again afterwards. */
export const streamState = signal<'idle' | 'connecting' | 'live' | 'lost'>('idle')

type Listener = { changed(changes: Change[]): void; reconnected?: (() => void) | undefined }
const listeners = new Set<Listener>()
let aborter: AbortController | undefined
const retryMs = 2_000

const parse = (block: string): Change | undefined => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const [kind, data] = [field('event'), field('data')]
  return kind === undefined || data === undefined ? undefined : { kind, row: JSON.parse(data) as Change['row'] }
}

const readBody = async (body: ReadableStream<Uint8Array>) => {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let remainder = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (remainder + value).split('\n\n')
    remainder = blocks.pop() ?? ''
    const changes = blocks.map(parse).filter((change) => change !== undefined)
    if (changes.length > 0) for (const { changed } of listeners) changed(changes)
  }
}

const follow = async (aborted: AbortSignal) => {
  let isFirst = true
  while (!aborted.aborted) {
    try {
      streamState.value = isFirst ? 'connecting' : 'lost'
      const response = await request('GET', 'stream', { signal: aborted })
      streamState.value = 'live'
      // Changes before this moment are in the lists, not in the stream.
      if (!isFirst) for (const { reconnected } of listeners) reconnected?.()
      isFirst = false
      if (response.body) await readBody(response.body)
    } catch {
      // The loop tries again below; the state shows that the connection is lost.
    }
    if (aborted.aborted) return
    streamState.value = 'lost'
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

/**
 * Calls the listener until the returned function is called. `reconnected`: some changes may have been missed, so the
 * listener must read its list again.
 */
export const listen = (listener: Listener): (() => void) => {
  listeners.add(listener)
  if (!aborter) {
    aborter = new AbortController()
    void follow(aborter.signal)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    aborter?.abort()
    aborter = undefined
    streamState.value = 'idle'
  }
}
