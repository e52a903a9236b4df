import { box } from './box.ts'
import { github } from './github.ts'
import { hubspot } from './hubspot.ts'
import { sendgrid } from './sendgrid.ts'
import { slack } from './slack.ts'
import { stripe } from './stripe.ts'
import { typeform } from './typeform.ts'
import type { Vendor } from './vendor.ts'
import { zendesk } from './zendesk.ts'

/** One of each kind. */
export const vendors: Vendor[] = [sendgrid, hubspot, zendesk, stripe, box, slack, github, typeform]
