import type { Store, StoredName } from '../../runtime/ports/index.ts'
import type { Groups } from '../sql/groups.ts'
import { createBacklog } from './backlog.ts'

/** Learned names whose rows are written when somebody reads them; none are read before there is a database. */
export const createLateNames = (groups: Groups, isOpen: () => boolean) => {
  const backlog = createBacklog<StoredName>((_, rows) => groups.names.put(rows))
  const isEmpty = () => !isOpen() && !backlog.some(() => true)
  const group = (): Store['names'] => ({
    put: async (rows) => {
      for (const row of rows) backlog.add(row)
    },
    find: async (...query) => (isEmpty() ? [] : backlog.before(groups.names.find)(...query)),
    list: async (...query) => (isEmpty() ? [] : backlog.before(groups.names.list)(...query)),
    removeOf: async (...which) => {
      if (!isEmpty()) await backlog.before(groups.names.removeOf)(...which)
    },
  })
  /** Writes the names that wait, before something else reads their rows. */
  const settle = async () => {
    if (!isEmpty()) await backlog.settle()
  }
  return { backlog, group, settle }
}
