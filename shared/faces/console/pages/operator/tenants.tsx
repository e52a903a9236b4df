import { useState } from 'preact/hooks'
import { pathTo, post, usePages } from '../../api/index.ts'
import { CopiedId, DialogButton, Empty, errorAt, FormDialog, List, TextField, Time } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { Tenant } from '../../../../api/resources/tenant.ts'

const sections = [
  ['tokens', 'Tokens'],
  ['policies', 'Limits'],
  ['audit', 'Audit trail'],
] as const
const columns: Column<Tenant>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Manage',
    cell: ({ id, name }) => (
      <span class="row">
        {sections.map(([section, title]) => (
          <a key={section} href={`${pathTo('operator', section)}?tenant=${id}`} aria-label={`${title} of ${name}`}>
            {title}
          </a>
        ))}
      </span>
    ),
  },
  {
    title: 'Details',
    cell: ({ id }) => (
      <details>
        <summary>Details</summary>
        <CopiedId id={id} />
      </details>
    ),
  },
]

const NewTenant = ({ onClose, onMade }: { onClose(): void; onMade(): void }) => {
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const add = async () => {
    await post('admin/tenants', { name, id: id || undefined })
    onMade()
    onClose()
  }
  return (
    <FormDialog title="Add a tenant" submit="Add the tenant" act={add} onClose={onClose}>
      {(problem) => (
        <>
          <TextField
            label="Name"
            required
            maxLength={200}
            value={name}
            change={setName}
            error={errorAt(problem, 'name')}
          />
          <TextField
            label="Id (optional)"
            hint="Lower-case letters, digits, “-” and “_”. It cannot be changed later. If empty, the server makes one."
            value={id}
            change={setId}
            error={errorAt(problem, 'id')}
          />
        </>
      )}
    </FormDialog>
  )
}

export const Tenants = () => {
  const list = usePages<Tenant>('admin/tenants')
  return (
    <>
      <p>
        <DialogButton label="Add a tenant" kind="primary">
          {(close) => <NewTenant onClose={close} onMade={list.reload} />}
        </DialogButton>
      </p>
      <List list={list} what="Tenants" columns={columns} empty={<Empty title="There are no tenants" />} />
    </>
  )
}
