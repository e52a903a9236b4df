import { once, z } from '#kit'

const count = (most: number) => z.exactOptional(z.int().min(1).max(most))

/**
 * What a tenant may do and store. The operator sets it for all tenants in a file, and for a single tenant in its
 * policy.
 */
export const tenantLimits = once(() =>
  z.strictObject({
    requestsPerSecond: count(100_000).describe('Requests to this server per second'),
    burst: count(100_000).describe('How many may come at once above that'),
    personRunsPerMinute: count(100_000).describe('Step runs and lookups per minute that act for the same person'),
    running: count(10_000).describe('Step runs going on at once'),
    waiting: count(1_000_000).describe('Step runs that may wait for their turn'),
    connections: count(1_000_000).describe('Connected accounts'),
    subscriptions: count(1_000_000).describe('Subscriptions'),
    labels: count(10_000).describe('Labels of one connection or subscription'),
    keyedMegabytes: count(1_000_000).describe(
      'Outcomes stored for idempotency keys, in MB; those of reads make room, oldest first',
    ),
    files: count(10_000_000).describe('Files stored at once'),
    filesMegabytes: count(10_000_000).describe('What all files may take together, in MB'),
    fileMegabytes: count(2_000).describe('Size of one file, in MB'),
  }),
)

export type TenantLimits = z.infer<ReturnType<typeof tenantLimits>>
