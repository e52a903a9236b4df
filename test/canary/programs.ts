import { signedInClient } from '../oauth/world.ts'
import type { CanaryWorld } from './world.ts'

/** A program that somebody lets in: what it holds is a secret of its person. */
export const letProgramIn = async ({ address, bearer, secrets, ask }: CanaryWorld) => {
  const { access, refresh } = await signedInClient({ address, token: bearer })
  secrets.set('access token of a program', access).set('refresh token of a program', refresh)
  const { id } = (await ask('GET /v1/grants')).json.items[0]
  await ask('PATCH /v1/grants/:id', { params: { id }, body: { scopes: ['read'] } })
}
