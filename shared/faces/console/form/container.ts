import type { Connection } from '../../../api/resources/connection.ts'
import type { Layout } from './draft.ts'

/**
 * A layout as it is for a connection: the field of the container, such as a project, has to be filled in while the
 * connection has no default one.
 */
export const requireContainer = (
  layout: Layout,
  container: string | null,
  connection: Pick<Connection, 'defaultContainer'> | undefined,
): Layout =>
  container === null || connection?.defaultContainer != null
    ? layout
    : {
        ...layout,
        fields: layout.fields.map((field) => (field.name === container ? { ...field, required: true } : field)),
      }
