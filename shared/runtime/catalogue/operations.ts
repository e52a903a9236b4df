import { effectOfMethod, isBelievable, isFailure } from '#kit'
import type { ApiOperation, ApiParameter, Effect, Integration, WireProfile } from '#kit'
import { checkPolicy, compilePolicy } from '../../wire/guard/api-call-rules.ts'
import { canonicalOf } from './check-call.ts'
import { tableOf } from './operation-table.ts'
import type { OperationManifest } from '../../api/manifest.ts'
import type { CallPolicy } from '../../wire/types.ts'

/** An operation as manifests list it and `find-endpoints` shows it. */
export type ShownOperation = OperationManifest

/**
 * `price`: in words. `cost`: as data; null: free; absent: the provider charges for nothing, or its price is unknown.
 */
export type ShownPrice = Pick<OperationManifest, 'price' | 'cost'>

/** The provider's endpoints that API Call knows under the profile in force. */
export const operationsOf = async ({
  wire,
  integration,
}: {
  wire: WireProfile
  integration: Integration
}): Promise<ApiOperation[]> => wire.operations ?? (await integration.operations?.()) ?? []

/** What requests to an operation do: what the list says, if it is to be believed, otherwise what the method says. */
export const effectOfOperation = (operation: Pick<ApiOperation, 'method' | 'effect' | 'effectSource'>): Effect =>
  operation.effect !== undefined && isBelievable(operation.method, operation)
    ? operation.effect
    : effectOfMethod[operation.method]

/** What a run of API Call does: what the list of operations says of its request, otherwise `byMethod`. */
export const effectOfRun = async (
  loaded: Parameters<typeof operationsOf>[0],
  { method, path }: Record<string, unknown>,
  byMethod: Effect,
): Promise<Effect> => {
  const canonical = canonicalOf(String(path))
  const operation = canonical && tableOf(await operationsOf(loaded)).find(String(method), canonical)
  return operation ? effectOfOperation(operation) : byMethod
}

export const inWords = ({ price }: ApiOperation): ShownPrice => (typeof price === 'string' ? { price } : {})

/** Decides which operations a policy allows. */
export const createVerdict = (policy: CallPolicy) => {
  const compiled = compilePolicy(policy)
  const refusal = ({ method, path }: ApiOperation, query?: Record<string, string>): string | undefined => {
    const example = path.replaceAll(/\{\w+\}/g, 'x')
    if (!policy.methods.includes(method)) return `The method ${method} is not allowed.`
    if (!`${example}/`.startsWith(compiled.under)) return `The path must begin with "${compiled.under}".`
    try {
      checkPolicy(compiled, method, example, { query, body: undefined })
      return undefined
    } catch (thrown) {
      if (isFailure(thrown)) return thrown.message.replace(/ Nothing was sent\.$/, '')
      throw thrown
    }
  }
  const isRefused = (operation: ApiOperation, { name, in: place }: ApiParameter) =>
    place !== 'path' && refusal(operation, { [name]: 'x' }) !== undefined
  return {
    /** Why the policy refuses an operation; undefined: it is allowed. */
    refusal: (operation: ApiOperation) => refusal(operation),
    /**
     * The operation as shown to callers. An allowed one is shown without the parameters that the policy always refuses.
     */
    show: (operation: ApiOperation, price = inWords(operation)): ShownOperation => {
      const { method, path, title, effect, body, parameters } = operation
      const isAllowed = refusal(operation) === undefined
      return {
        method,
        path,
        title,
        effect: effect ?? effectOfMethod[method],
        ...price,
        ...(body === undefined ? {} : { body }),
        parameters: isAllowed ? parameters.filter((parameter) => !isRefused(operation, parameter)) : parameters,
      }
    },
  }
}

/** The operations that the policy allows, as shown to callers. */
export const listOperations = (policy: CallPolicy, operations: ApiOperation[], priceOf = inWords): ShownOperation[] => {
  const verdict = createVerdict(policy)
  return operations
    .filter((operation) => verdict.refusal(operation) === undefined)
    .map((operation) => verdict.show(operation, priceOf(operation)))
}
