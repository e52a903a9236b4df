import { useState } from 'preact/hooks'
import { post } from '../../api/client.ts'
import { pathTo } from '../../api/root.ts'
import { useAction, usePages } from '../../api/use-api.ts'
import { Button } from '../../ui/basics.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, ProblemBox } from '../../ui/states.tsx'
import { PagedTable } from '../../ui/table.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { Tenant } from '../../../../api/resources/tenant.ts'
import { TextField, errorAt } from '../../ui/field.tsx'

const link = (section: string, { id }: Tenant) => `${pathTo('operator', section)}?tenant=${id}`
const columns: Column<Tenant>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Id', cell: ({ id }) => <code>{id}</code> },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Manage',
    cell: (tenant) => (
      <span class="row">
        <a href={link('tokens', tenant)} aria-label={`Tokens of ${tenant.name}`}>
          Tokens
        </a>
        <a href={link('policies', tenant)} aria-label={`Limits of ${tenant.name}`}>
          Limits
        </a>
        <a href={link('audit', tenant)} aria-label={`Audit trail of ${tenant.name}`}>
          Audit trail
        </a>
      </span>
    ),
  },
]

const NewTenant = ({ onClose, onMade }: { onClose(): void; onMade(): void }) => {
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const { run, busy, problem } = useAction(() => post('admin/tenants', { name, ...(id === '' ? {} : { id }) }))
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    onMade()
    onClose()
  }
  return (
    <Dialog title="Add a tenant" onClose={onClose}>
      <form onSubmit={submit}>
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
        {problem && <ProblemBox problem={problem} />}
        <Button type="submit" kind="primary" busy={busy}>
          Add the tenant
        </Button>
      </form>
    </Dialog>
  )
}

export const Tenants = () => {
  const pages = usePages<Tenant>('admin/tenants')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p>
        <Button kind="primary" onClick={() => setOpen(true)}>
          Add a tenant
        </Button>
      </p>
      {isOpen && <NewTenant onClose={() => setOpen(false)} onMade={pages.reload} />}
      <PagedTable
        pages={pages}
        what="Tenants"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title="There are no tenants">{null}</Empty>}
      />
    </>
  )
}
