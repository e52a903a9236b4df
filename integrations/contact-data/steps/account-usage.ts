import { defineStep, usageRecord, z } from '#kit'

export default defineStep({
  id: 'account-usage',
  title: 'Account Usage',
  group: 'Account',
  purpose: 'Shows how many credits the connected account has used and has left, and its rate limits; asking is free.',
  keywords: ['credits', 'quota', 'balance', 'rate limit', 'credits left'],
  icon: 'gauge',
  effect: 'read',
  input: () => z.strictObject({}),
  output: () =>
    z.looseObject({
      usage: usageRecord(),
      raw: z.unknown().optional().meta({ description: 'The answer as the provider gave it, untrusted.' }),
    }),
  agentFields: ['usage'],
  endpoints: ['account-usage'],
  async run(ctx) {
    const lookup = await ctx.lookup('account-usage', [{}])
    return { usage: lookup.matched ? lookup.record : {}, ...('raw' in lookup ? { raw: lookup.raw } : {}) }
  },
})
