import { fail } from '#kit'
import { countingWrong } from '../auth.ts'
import type { sessionOperations } from '../../../api/operations/sessions.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const sessionHandlers = ({
  pack,
  addressOf,
  cookie,
  about,
  metricsPage,
}: HttpDependencies): Handlers<typeof sessionOperations> => ({
  createSignInCode: async (request, reply) => {
    const { code, expiresAt } = await pack.sessions.createCode(request.caller)
    return reply.code(201).send({ url: `${addressOf(request)}/console/#code=${code}`, expiresAt })
  },
  signIn: async (request, reply) => {
    const { code, token } = request.body
    const credential = code === undefined ? { token: token! } : { code }
    const { secret, session: made } = await countingWrong(pack, request, pack.sessions.signIn(credential))
    cookie.set(request, reply, secret, made.expiresAt!)
    return reply.code(201).send(made)
  },
  getSession: ({ caller, session: secret }) => pack.sessions.view(caller, secret),
  signOut: async (request, reply) => {
    const { caller, session: secret } = request
    if (secret === undefined)
      throw fail('not_found', 'This request has a bearer token and no session, so there is nothing to sign out of.')
    await pack.sessions.signOut(caller, secret)
    cookie.clear(request, reply)
    return reply.code(204).send()
  },
  getServer: async () => about,
  getMetrics: async (_request, reply) =>
    reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .serializer(String)
      .send(await metricsPage()),
})
