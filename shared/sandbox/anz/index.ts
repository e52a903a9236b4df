/** The ANZ data provider, on 127.0.0.1 only: in the documented dialect, or in that of a real vendor. */
import { startLookupSandbox } from '../lookups/start.ts'
import type { LookupSandbox, LookupSandboxOptions, Vendor } from '../lookups/start.ts'
import { documented } from './documented/index.ts'
import { firmable } from './firmable/index.ts'

/** Vendors by the name of the wire profile that matches them. */
const vendors = { documented, firmable } satisfies Record<string, Vendor>

export type AnzProfile = keyof typeof vendors
export const anzProfiles = Object.keys(vendors) as AnzProfile[]

export type AnzSandboxOptions = LookupSandboxOptions & {
  /** Default: `documented`. */
  profile?: AnzProfile
}
export type AnzSandbox = LookupSandbox

export const startAnzSandbox = ({ profile = 'documented', ...options }: AnzSandboxOptions = {}): Promise<AnzSandbox> =>
  startLookupSandbox('anz', vendors[profile], options)
