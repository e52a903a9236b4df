import { z } from '#kit'

/** Whatever a request names by an id, or by a name that stands for one: an integration, a step, a row, a tenant. Longer ones do not exist. */
export const id = z.string().max(256)
export const tenantId = id.default('default')
export const idempotencyKey = z.string().max(255)
export const dateTime = z.iso.datetime({ offset: true }).max(64)
/** Values by the names of fields. */
export const valuesByName = z.record(id, z.unknown())
/** A label to filter by, as name:value. */
const pair = z.string().max(400)
export const labelFilter = z.union([pair, z.array(pair).max(20)])
