import { effectOfMethod, isLowerEffect } from '#kit'
import type { Effect, Method, WireProfile } from '#kit'
import { effectOfOperation } from './operations.ts'
import type { Wrong } from './profile-requests.ts'

const say = (where: string, effect: Effect, than: Effect): Wrong => ({
  where,
  why: `it lowers the effect of these requests from "${than}" to "${effect}", so that they could be repeated or pass unapproved. An override may only raise an effect: leave it out, or give "${than}"`,
})

const isLowered = (effect: Effect, than: Effect) => effect !== than && !isLowerEffect(than, effect)

/** The first setting of an override by which requests would do less than the documented profile says. */
export const loweredEffect = (documented: WireProfile, merged: WireProfile): Wrong | undefined => {
  for (const [name, { method, effect }] of Object.entries(merged.endpoints ?? {})) {
    if (effect === undefined) continue
    const before = documented.endpoints?.[name]
    // What is documented of requests with one method says nothing of those with another.
    const isOther = before !== undefined && before.method !== method
    const than = (isOther ? undefined : before?.effect) ?? effectOfMethod[method as Method]
    if (isLowered(effect, than)) return say(`endpoints.${name}.effect`, effect, than)
  }
  for (const [index, operation] of (merged.operations ?? []).entries()) {
    const { method, path } = operation
    const before = documented.operations?.find((known) => known.method === method && known.path === path)
    const [effect, than] = [effectOfOperation(operation), before ? effectOfOperation(before) : effectOfMethod[method]]
    if (isLowered(effect, than)) return say(`operations.${index}.effect`, effect, than)
  }
  return undefined
}
