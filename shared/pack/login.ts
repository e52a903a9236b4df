import { failField } from '#kit'
import { loginName, loginSettings } from '../runtime/admin/login-settings.ts'
import type { LoginSettings } from '../runtime/admin/login-settings.ts'
import type { Login, LoginFlow } from '../runtime/admin/login.ts'
import type { Sessions } from '../runtime/admin/sessions.ts'
import type { Tenants, Tokens } from '../runtime/admin/tokens.ts'
import type { EgressRules } from '../wire/index.ts'
import type { PackOptions } from '../pack-types.ts'
import { openWire, systemClock } from './foundation.ts'
import type { Foundation } from './foundation.ts'

const readLoginSettings = (login: NonNullable<PackOptions['login']>): LoginSettings => {
  const parsed = loginSettings().safeParse(login)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw failField('login', `login: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is not usable'}.`)
}

type LoginParts = {
  tenants: Pick<Tenants, 'create'>
  tokens: Tokens
  sessions: Sessions
  base(): string
  endSignedBy(tenant: string, token: string): Promise<void>
}

/** Sign-in by an OpenID provider, whose code is loaded with the first browser that asks for it; undefined: none. */
export const openLogin = (
  { unauthenticated, store, vault, people, clock, audit, log }: Foundation,
  { tenants, tokens, sessions, base, endSignedBy }: LoginParts,
  login: PackOptions['login'],
): Login | undefined => {
  if (!login) return undefined
  const settings = readLoginSettings(login)
  const load = async (): Promise<LoginFlow> => {
    const [openId, { createLogin }, { createLoginTokens }] = await Promise.all([
      unauthenticated.openId(),
      import('../runtime/admin/login.ts'),
      import('../runtime/admin/login-tokens.ts'),
    ])
    return createLogin({
      settings,
      openId,
      vault,
      store,
      addTenant: (id) => tenants.create({ id, name: id }),
      people,
      loginTokens: createLoginTokens({ store, tokens, clock, audit, endSignedBy }),
      sessions,
      base,
      clock,
      audit,
      log,
    })
  }
  let flow: Promise<LoginFlow> | undefined
  const loaded = () => (flow ??= load())
  return {
    name: loginName(settings),
    begin: async (next) => (await loaded()).begin(next),
    finish: async (pending, search) => (await loaded()).finish(pending, search),
  }
}

/**
 * Checks that an OpenID provider can sign people in, without starting a server; returns where it sends browsers.
 * @throws Failure `invalid_input` or `not_allowed` when it can never, `unavailable` when it does not answer now
 */
export const checkLoginProvider = async (
  login: NonNullable<PackOptions['login']>,
  egress: Partial<EgressRules>,
): Promise<string> => {
  const { unauthenticated, close } = openWire(systemClock, Math.random, egress)
  try {
    return await (await unauthenticated.openId()).check(readLoginSettings(login))
  } finally {
    await close()
  }
}
