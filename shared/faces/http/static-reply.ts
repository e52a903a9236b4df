/** Replies that are the same for everybody who may have them: built once, compressed once. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

const compress = promisify(gzip)

/** Whether `Accept-Encoding` names gzip; with the weight 0, it refuses it. */
const takesGzip = (accepts = '') =>
  accepts.split(',').some((coding) => /^\s*gzip\s*(;|$)/i.test(coding) && !/;\s*q=0(\.0*)?\s*$/i.test(coding))

export type StaticReply = { type: string; bytes: Buffer; gzipped: Buffer }

/** `bytes` must hold no secret: next to text that an attacker chooses, the compressed size would reveal it. */
export const makeStaticReply = async (type: string, bytes: Buffer): Promise<StaticReply> => ({
  type,
  bytes,
  gzipped: await compress(bytes, { level: 9 }),
})

/** The caller sets `vary`, which includes Accept-Encoding. */
export const sendStaticReply = (
  reply: FastifyReply,
  { type, bytes, gzipped }: StaticReply,
  accepts: string | undefined,
): FastifyReply => {
  const isGzipped = takesGzip(accepts)
  if (isGzipped) reply.header('content-encoding', 'gzip')
  return reply
    .type(type)
    .serializer(String)
    .send(isGzipped ? gzipped : bytes)
}
