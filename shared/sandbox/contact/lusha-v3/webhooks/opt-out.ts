/** The one subscription of an account to people who opt out. */
import type { Handler } from '../../../lookups/server.ts'
import { object, oneOf, readShape } from '../../../lookups/shape.ts'
import { answered, refused, upTo, url } from './requests.ts'
import { findOptOuts, optOutType } from './state.ts'
import type { Webhooks } from './state.ts'
import { add } from './subscriptions.ts'

const accountId = '431705'

const shape = object({ entityType: oneOf('contact'), url, name: upTo(100) }, { required: ['entityType', 'url'] })

export const optOutRoutes = (webhooks: Webhooks): Record<string, Handler> => ({
  'POST /api/subscriptions/opt-out': ({ body }) => {
    const read = readShape<{ entityType: 'contact'; url: string; name?: string }>(shape, body)
    if (!read.ok) return read
    if (findOptOuts(webhooks) !== undefined)
      return refused(403, 'An opt-out subscription already exists for this account')
    const {
      blockReason: _,
      blockedAt: __,
      ...made
    } = add(webhooks, {
      ...read.value,
      entityId: accountId,
      signalTypes: [optOutType],
    })
    return answered(201, made)
  },
})
