import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export const newText = (): string => randomBytes(32).toString('base64url')

/** Whether a text may be one of these: others need not be looked for. */
export const isText = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** What is stored in place of a code or token. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The challenge of a verifier (RFC 7636, S256). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** Compares in a time that says nothing about the content. */
export const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

const refreshShape = /^tyr_([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

/** A refresh token: a part that all of its grant have in common, and one that only the newest has. */
export const refreshText = (family: string, newest: string): string => `tyr_${family}.${newest}`

export const readRefresh = (text: string): { family: string; newest: string } | undefined => {
  const [, family, newest] = refreshShape.exec(text) ?? []
  return family === undefined || newest === undefined ? undefined : { family, newest }
}
