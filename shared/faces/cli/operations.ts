import type { z } from '#kit'
import type { Operation } from '../../api/operation.ts'

/** The operations of the HTTP API by file; a file is loaded at the first call of one of its operations. */
const topics = {
  admin: async () => (await import('../../api/operations/admin.ts')).adminOperations,
  approvals: async () => (await import('../../api/operations/approvals.ts')).approvalOperations,
  catalogue: async () => (await import('../../api/operations/catalogue.ts')).catalogueOperations,
  connections: async () => (await import('../../api/operations/connections.ts')).connectionOperations,
  credits: async () => (await import('../../api/operations/credits.ts')).creditOperations,
  events: async () => (await import('../../api/operations/events.ts')).eventOperations,
  files: async () => (await import('../../api/operations/files.ts')).fileOperations,
  health: async () => (await import('../../api/operations/health.ts')).healthOperations,
  jobs: async () => (await import('../../api/operations/jobs.ts')).jobOperations,
  lookups: async () => (await import('../../api/operations/lookups.ts')).lookupOperations,
  notifications: async () => (await import('../../api/operations/notifications.ts')).notificationOperations,
  grants: async () => (await import('../../api/operations/grants.ts')).grantOperations,
  'people-lists': async () => (await import('../../api/operations/people-lists.ts')).peopleListOperations,
  people: async () => (await import('../../api/operations/people.ts')).peopleOperations,
  privacy: async () => (await import('../../api/operations/privacy.ts')).privacyOperations,
  runs: async () => (await import('../../api/operations/runs.ts')).runOperations,
  sessions: async () => (await import('../../api/operations/sessions.ts')).sessionOperations,
  steps: async () => (await import('../../api/operations/steps.ts')).stepOperations,
  subscriptions: async () => (await import('../../api/operations/subscriptions.ts')).subscriptionOperations,
}
type Topics = { [Topic in keyof typeof topics]: Awaited<ReturnType<(typeof topics)[Topic]>> }

/** An operation by its file and id, such as `admin.listTokens`. */
export type OperationName = { [Topic in keyof Topics]: `${Topic}.${keyof Topics[Topic] & string}` }[keyof Topics]
type OperationOf<Name> = Name extends `${infer Topic extends keyof Topics}.${infer Id}`
  ? Topics[Topic][Id & keyof Topics[Topic]]
  : never

/** Undefined fields are not sent, so a field that may be absent may also be undefined. */
type Fields<T> = { [K in keyof T]: {} extends Pick<T, K> ? T[K] | undefined : T[K] }
type Part<Input, Name extends string> = Input extends {
  [K in Name]: (...aliases: never) => infer Schema extends z.ZodType
}
  ? NonNullable<z.input<Schema>> extends Record<string, never>
    ? {}
    : Fields<NonNullable<z.input<Schema>>>
  : {}
/** Parameters, query and body of an operation, as one object. */
export type Input<Name extends OperationName> =
  OperationOf<Name> extends { input: infer Parts }
    ? Part<Parts, 'params'> & Part<Parts, 'query'> & Part<Parts, 'body'>
    : {}
export type Answer<Name extends OperationName> =
  OperationOf<Name> extends { output: { schema: (...aliases: never) => infer Schema extends z.ZodType } }
    ? z.output<Schema>
    : void
/** A row of a list. */
export type Item<Name extends OperationName> = Answer<Name> extends { items: (infer Row)[] } ? Row : never

export const findOperation = async (name: OperationName): Promise<Operation> => {
  const [topic, id] = name.split('.') as [keyof Topics, string]
  const operations: { [id: string]: Operation } = await topics[topic]()
  return operations[id]!
}
