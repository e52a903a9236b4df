import { createHash } from 'node:crypto'
import type { World } from './records.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 24 hexadecimal characters: the creation time in seconds, then a counter, so that ids sort by creation. */
export const newId = (world: World): string => {
  world.state.counter += 1
  const seconds = Math.floor(world.now() / 1000)
    .toString(16)
    .padStart(8, '0')
  return seconds + world.state.counter.toString(16).padStart(16, '0')
}

/** 8 characters that look random but depend only on the counter. */
export const newShortLink = (world: World): string => {
  world.state.counter += 1
  return digest(`short ${world.state.counter}`, 8)
}

/** Text of `length` letters and digits, determined by the seed alone. */
export const digest = (seed: string, length: number): string => {
  let out = ''
  for (let round = 0; out.length < length; round += 1) {
    for (const byte of createHash('sha256').update(`${seed} ${round}`).digest()) out += alphabet[byte % alphabet.length]
  }
  return out.slice(0, length)
}

export const hexDigest = (seed: string, length: number): string =>
  createHash('sha512').update(seed).digest('hex').slice(0, length)

export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)
export const isShortLink = (text: string): boolean => /^[A-Za-z0-9]{8}$/.test(text)
export const isoDate = (ms: number): string => new Date(ms).toISOString()
/** Creation time of an id in milliseconds since the epoch, precise to the second. */
export const timeOfId = (id: string): number => parseInt(id.slice(0, 8), 16) * 1000
