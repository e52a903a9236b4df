import { isBelievable } from '#kit'
import type { ApiOperation } from '#kit'
import type { Subject } from './structure.ts'

/** The lists of operations of an integration, each with the place where it is written. */
const listsOf = async ({ operations, wire, profiles = {} }: Subject['integration']) =>
  [
    ['manifest.ts, operations', await operations?.()],
    ['wire.ts', wire.operations],
    ...Object.entries(profiles).map(([name, profile]) => [`profiles/${name}.ts`, profile().operations] as const),
  ] as [where: string, operations: ApiOperation[] | undefined][]

/**
 * An operation with the effect `read` whose method does not say so must name the page of the provider that does, as a
 * request must. A POST that updates needs no page: it is repeated no more often than one that creates.
 */
export const operationProblems = async ({ integration }: Pick<Subject, 'integration'>): Promise<string[]> =>
  (await listsOf(integration)).flatMap(([where, operations = []]) =>
    operations
      .filter((operation) => operation.effect === 'read' && !isBelievable(operation.method, operation))
      .map(
        ({ method, path }) =>
          `${integration.id}: ${where}: ${method} ${path} has the effect "read". Name the page of the provider that says so in "effectSource".`,
      ),
  )
