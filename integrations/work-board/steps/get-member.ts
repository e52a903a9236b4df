import { defineStep, path, z } from '#kit'
import { memberRef } from '../inputs.ts'
import { member } from '../records.ts'

export default defineStep({
  id: 'get-member',
  title: 'Get Member',
  group: 'Members',
  purpose: 'Returns a person: their name, username and what they say about themselves; "me" is the connected account.',
  keywords: ['user', 'profile', 'person', 'who am i', 'whose account', 'current user'],
  icon: 'person-find',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject({ idMember: memberRef('The person.') }),
  output: member,
  agentFields: ['id', 'fullName', 'username', 'bio', 'url'],
  fields: { idMember: { placeholder: 'me' } },
  // A whole record is several kilobytes, most of it settings.
  async run(ctx, { idMember }) {
    const query = { fields: 'fullName,username,initials,bio,url' }
    return await ctx.send({ method: 'GET', path: path`/1/members/${idMember}`, query })
  },
})
