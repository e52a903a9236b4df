/** The global contact-data provider, on 127.0.0.1 only: in the documented dialect, or in that of a real vendor. */
import { startLookupSandbox } from '../lookups/start.ts'
import type { LookupSandbox, LookupSandboxOptions, Vendor } from '../lookups/start.ts'
import { apollo } from './apollo/index.ts'
import { documented } from './documented/index.ts'
import { hunter } from './hunter/index.ts'
import { lushaV2 } from './lusha-v2/index.ts'
import { lushaV3 } from './lusha-v3/index.ts'
import { peopleDataLabs } from './people-data-labs/index.ts'

/** Vendors by the name of the wire profile that matches them. */
const vendors = {
  documented,
  apollo,
  hunter,
  'lusha-v2': lushaV2,
  'lusha-v3': lushaV3,
  'people-data-labs': peopleDataLabs,
} satisfies Record<string, Vendor>

export type ContactProfile = keyof typeof vendors
export const contactProfiles = Object.keys(vendors) as ContactProfile[]

export type ContactSandboxOptions = LookupSandboxOptions & {
  /** Default: `documented`. */
  profile?: ContactProfile
}
export type ContactSandbox = LookupSandbox

export const startContactSandbox = ({
  profile = 'documented',
  ...options
}: ContactSandboxOptions = {}): Promise<ContactSandbox> => startLookupSandbox('contact', vendors[profile], options)
