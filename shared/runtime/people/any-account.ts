import type { Caller, Connection, Log } from '../ports/index.ts'

/** A token that would have failed, had it not been given a person's account. */
export type AnyAccountUse = { tenant: string; token: string | null; integration: string; connection: string }

export type AnyAccount = {
  note(caller: Caller, connection: Connection): void
  /** What was noted since this process began. */
  uses(): AnyAccountUse[]
}

const maxNoted = 1_000

/** Notes which callers rely on `any` as the default account, so that they can be told apart before it goes. */
export const createAnyAccount = (log: Log): AnyAccount => {
  const noted = new Map<string, AnyAccountUse>()
  return {
    note({ tenant, token = null }, { id, integration }) {
      const name = JSON.stringify([tenant, token, integration])
      if (noted.has(name) || noted.size >= maxNoted) return
      noted.set(name, { tenant, token, integration, connection: id })
      log('warn', 'account.of_a_person', {
        tenant,
        token,
        integration,
        connection: id,
        reason:
          "A call that named neither a person nor a connection took a person's account, as TOOLYARD_DEFAULT_ACCOUNT=any allows",
      })
    },
    uses: () => [...noted.values()],
  }
}
