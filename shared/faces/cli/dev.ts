import { fail } from '#kit'
import type { Configuration, Environment } from '../../settings.ts'

/** What `toolyard dev` serves; `folder` and `data` are relative to `cwd`, `wireFile` is absolute. */
export type DevCall = { folder: string; data: string | undefined; wireFile: string | undefined; cwd: string }

const loopbackHosts = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

/** @throws Failure `not_allowed`: this opens loopback ports and prints stack traces */
export const requireDevelopment = ({ production, host }: Configuration, env: Environment): void => {
  const refuse = (setting: string, remedy: string) =>
    fail('not_allowed', `toolyard dev is for development on your own machine, and ${setting}. ${remedy}`)
  if (production) throw refuse('TOOLYARD_PRODUCTION is set', 'Unset it, or run "toolyard serve".')
  if (env['NODE_ENV'] === 'production') throw refuse('NODE_ENV is "production"', 'Unset it, or run "toolyard serve".')
  if (!loopbackHosts.test(host)) throw refuse(`TOOLYARD_HOST is ${host}, which others can reach`, 'Unset it.')
}
