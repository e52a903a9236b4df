/** The names of tokens and programs, as far as who is signed in may read them. */
import type { Grant } from '../../../../api/resources/grant.ts'
import type { Token } from '../../../../api/resources/token.ts'
import { may, session, useItems } from '../../api/index.ts'
import { nameOf } from '../programs/words.ts'

/** Any other id, such as that of a person, stays as it is. */
export const useNames = () => {
  const grants = useItems<Grant>('grants')
  const tokens = useItems<Token>(may('admin') ? 'admin/tokens' : undefined, { tenant: session.value?.tenant.id })
  return (id: string): string => {
    const own = session.value?.token
    if (own?.id === id) return `${own.name} (this session)`
    const grant = grants.items.find((row) => row.id === id)
    return grant ? nameOf(grant) : (tokens.items.find((row) => row.id === id)?.name ?? id)
  }
}
