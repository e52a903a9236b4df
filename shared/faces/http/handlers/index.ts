import { adminHandlers } from './admin.ts'
import { approvalHandlers } from './approvals.ts'
import { catalogueHandlers } from './catalogue.ts'
import { connectionHandlers } from './connections.ts'
import { creditHandlers } from './credits.ts'
import { eventHandlers } from './events.ts'
import { fileHandlers } from './files.ts'
import { grantHandlers } from './grants.ts'
import { healthHandlers } from './health.ts'
import { jobHandlers } from './jobs.ts'
import { lookupHandlers } from './lookups.ts'
import { notificationHandlers } from './notifications.ts'
import { peopleHandlers } from './people.ts'
import { peopleListHandlers } from './people-lists.ts'
import { privacyHandlers } from './privacy.ts'
import { runHandlers } from './runs.ts'
import { sampleHandlers } from './samples.ts'
import { sessionHandlers } from './sessions.ts'
import { stepHandlers } from './steps.ts'
import { subscriptionHandlers } from './subscriptions.ts'
import { toolHandlers } from './tools.ts'
import type { Operations } from '../../../api/operations/index.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

/** The handler of each operation. */
export const handlersOf = (parts: HttpDependencies): Handlers<Operations> => ({
  ...catalogueHandlers(parts),
  ...stepHandlers(parts),
  ...approvalHandlers(parts),
  ...creditHandlers(parts),
  ...lookupHandlers(parts),
  ...sampleHandlers(parts),
  ...fileHandlers(parts),
  ...jobHandlers(parts),
  ...peopleListHandlers(parts),
  ...toolHandlers(parts),
  ...connectionHandlers(parts),
  ...peopleHandlers(parts),
  ...grantHandlers(parts),
  ...subscriptionHandlers(parts),
  ...eventHandlers(parts),
  ...runHandlers(parts),
  ...adminHandlers(parts),
  ...notificationHandlers(parts),
  ...privacyHandlers(parts),
  ...healthHandlers(parts),
  ...sessionHandlers(parts),
})
