/** What a connection's state means, and what to do about it. */
import type { Connection } from '../../../../api/resources/connection.ts'
import { badgeOf } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

export type State = Connection['state']

export const stateTexts: Record<State, StateWords & { todo: string }> = {
  connected: { title: 'Connected', tone: 'good', todo: '' },
  unverified: {
    title: 'Not verified yet',
    tone: 'info',
    todo: 'Its key is saved. The first successful run verifies it.',
  },
  needs_reconnect: {
    title: 'Needs reconnect',
    tone: 'bad',
    todo: 'The provider no longer accepts its credential, so runs fail and its triggers wait. Reconnect it with the same account: its name, tokens and triggers are kept, and missed events are recovered.',
  },
  revoked: {
    title: 'Revoked',
    tone: 'bad',
    todo: 'Its secrets were deleted, so nothing can use it. Reconnect it with the same account to use it again, or remove it.',
  },
  disabled: {
    title: 'Disabled',
    tone: 'warn',
    todo: 'It is switched off, so runs fail and its triggers wait. Enable it to use it again.',
  },
}

export const StateBadge = badgeOf(stateTexts)

export const accountOf = ({ account }: Connection) => account?.name ?? account?.id

/** Whether the access token has expired; where the provider allows it, the next use renews the token. */
export const hasExpired = ({ expiresAt }: Connection) => expiresAt !== null && Date.parse(expiresAt) <= Date.now()
