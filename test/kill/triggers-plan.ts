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
export type Told = { ready: true } | { open: number } | { hooks: { model: string; callbackUrl: string; state: string }[] }

export const agentSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
/** Subscriptions by the agent's path; `type` is the provider's name of what starts them. */
export const attached = [
  { path: '/comments', trigger: 'new-comment-added-to-card', type: 'commentCard' },
  { path: '/comments-again', trigger: 'new-comment-added-to-card', type: 'commentCard' },
  { path: '/moves', trigger: 'card-moved', type: 'updateCard' },
  { path: '/labels', trigger: 'new-label-added-to-card', type: 'addLabelToCard' },
] as const
/** Told by webhooks only: once lost by the provider it is lost, but acknowledged it must have been kept. */
export const onlyTold = 'addLabelToCard'
