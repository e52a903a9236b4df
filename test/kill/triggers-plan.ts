import type { Credentials } from '../../shared/sandbox/board/index.ts'

/** What a worker is told in its argument. */
export type Plan = {
  directory: string
  port: number
  /** Of the provider and of the agent. */
  origin: string
  agent: string
  credentials: Pick<Credentials, 'key' | 'token' | 'appSecret'>
  boards: string[]
  /** Its store says that a delivery is kept before it is. */
  isFaulty: boolean
}
export type Ask = 'counts' | 'hooks'
export type Told =
  | { ready: true }
  | { open: number }
  | { hooks: { model: string; callbackUrl: string; state: string }[] }

export const agentSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
