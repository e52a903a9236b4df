import { adminOperations } from './admin.ts'
import { approvalOperations } from './approvals.ts'
import { catalogueOperations } from './catalogue.ts'
import { connectionOperations } from './connections.ts'
import { creditOperations } from './credits.ts'
import { eventOperations } from './events.ts'
import { fileOperations } from './files.ts'
import { grantOperations } from './grants.ts'
import { healthOperations } from './health.ts'
import { jobOperations } from './jobs.ts'
import { lookupOperations } from './lookups.ts'
import { notificationOperations } from './notifications.ts'
import { peopleListOperations } from './people-lists.ts'
import { peopleOperations } from './people.ts'
import { privacyOperations } from './privacy.ts'
import { runOperations } from './runs.ts'
import { sampleOperations } from './samples.ts'
import { sessionOperations } from './sessions.ts'
import { stepOperations } from './steps.ts'
import { subscriptionOperations } from './subscriptions.ts'
import { toolOperations } from './tools.ts'
import type { Operation } from '../operation.ts'
import type { OperationId } from '../rules.ts'

/** Every operation under `/v1`, and the other responses of a server, in the order of the OpenAPI document. */
export const operations = {
  ...catalogueOperations,
  ...stepOperations,
  ...creditOperations,
  ...lookupOperations,
  ...sampleOperations,
  ...fileOperations,
  ...jobOperations,
  ...peopleListOperations,
  ...approvalOperations,
  ...toolOperations,
  ...connectionOperations,
  ...peopleOperations,
  ...grantOperations,
  ...subscriptionOperations,
  ...eventOperations,
  ...runOperations,
  ...adminOperations,
  ...notificationOperations,
  ...privacyOperations,
  ...healthOperations,
  ...sessionOperations,
} satisfies { [Id in OperationId]: Operation }

export type Operations = typeof operations
