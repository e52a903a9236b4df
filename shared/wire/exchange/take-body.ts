import { createTurns } from '#kit'
import type { Sink } from '../types.ts'
import type { BrokenKind, RawReply } from './raw-reply.ts'
import { createSpareBuffer } from './spare-buffer.ts'
import type { JoinedBody } from './spare-buffer.ts'

export type OpenSink = (status: number, headers: RawReply['headers']) => Sink | undefined

type Controller = { pause(): void; resume(): void }
type Ends = {
  /** The sink has taken a chunk. */
  moved(): void
  /** The whole body is here: however late it is read, the call neither takes too long nor is cancelled. */
  complete(): void
  stop(kind: BrokenKind, cause?: unknown): void
}

/** From here on, reading a body, and what is made of it, takes a millisecond or more. */
const largeBytes = 64 * 1024
const largePerTurn = 4

type Done = (body: JoinedBody, saved: boolean) => void
/** Joins the chunks of a body. Large ones wait for their turn of the event loop, which they would take up together. */
export const createJoinBody = () => {
  const spare = createSpareBuffer()
  const join = (chunks: Buffer[], size: number, done: Done) => done(spare.join(chunks, size), false)
  const joinLarge = createTurns(largePerTurn, join)
  return (chunks: Buffer[], size: number, done: Done) =>
    size < largeBytes ? join(chunks, size, done) : joinLarge(chunks, size, done)
}
export type JoinBody = ReturnType<typeof createJoinBody>

/**
 * Takes the body of one reply: into memory, at most `maxBytes`, or chunk by chunk into the sink that `save` opens for
 * it. The connection is read only as fast as the sink takes the chunks.
 */
export const createBody = (maxBytes: number, save: OpenSink | undefined, ends: Ends, join: JoinBody) => {
  let first: Buffer | undefined
  let chunks: Buffer[] | undefined
  let size = 0
  let sink: Sink | undefined
  let waiting = 0
  let taking: Promise<void> = Promise.resolve()

  const pass = (to: Sink, controller: Controller, chunk: Buffer) => {
    controller.pause()
    waiting += 1
    // Chunks are written one after the other: when a connection closes, its last chunks arrive in spite of the pause.
    taking = taking
      .then(() => to.write(chunk))
      .then(() => {
        waiting -= 1
        ends.moved()
        if (waiting === 0) controller.resume()
      })
    taking.catch((error: unknown) => ends.stop('unsaved', error))
  }

  return {
    begin(status: number, headers: RawReply['headers']) {
      sink = save?.(status, headers)
      if (!sink && Number(headers['content-length']) > maxBytes) ends.stop('too_large')
    },
    take(controller: Controller, chunk: Buffer) {
      // After a pause the client may pass an empty chunk, again and again if each is answered with a pause.
      if (chunk.length === 0) return
      if (sink) return pass(sink, controller, chunk)
      size += chunk.length
      if (size > maxBytes) return ends.stop('too_large')
      if (first === undefined) first = chunk
      else if (chunks === undefined) chunks = [first, chunk]
      else chunks.push(chunk)
    },
    /** Passes on what was collected; waits for the sink first. */
    end(done: Done): void {
      if (!sink && chunks) {
        ends.complete()
        return join(chunks, size, done)
      }
      if (!sink) return done({ bytes: first ?? Buffer.alloc(0) }, false)
      taking
        .then(() => sink?.end())
        .then(
          () => done({ bytes: Buffer.alloc(0) }, true),
          (error: unknown) => ends.stop('unsaved', error),
        )
    },
  }
}
