/** Names of tokens, programs, connections and containers, as far as who is signed in may read them. */
import type { Grant } from '../../../../api/resources/grant.ts'
import type { Token } from '../../../../api/resources/token.ts'
import { may, session, useConnections, useItems } from '../../api/index.ts'
import { nameOf as programName } from '../programs/words.ts'

/** The tokens and programs of the workspace; tokens are listed to operators alone. */
export const useTokenChoices = () => {
  const grants = useItems<Grant>('grants')
  const tokens = useItems<Token>(may('admin') ? 'admin/tokens' : undefined, { tenant: session.value?.tenant.id })
  return [
    ...tokens.items.filter(({ revokedAt }) => revokedAt === null).map(({ id, name }) => ({ value: id, label: name })),
    ...grants.items.map((grant) => ({ value: grant.id, label: `${programName(grant)}, let in by ${grant.who}` })),
  ]
}

/** The name of a token, program or connection by its id; undefined: not known here. */
export const useNames = () => {
  const tokens = useTokenChoices()
  const connections = useConnections()
  return (id: string): string | undefined => {
    const own = session.value?.token
    if (own?.id === id) return own.name
    return tokens.find(({ value }) => value === id)?.label ?? connections.choices.find(([value]) => value === id)?.[1]
  }
}
