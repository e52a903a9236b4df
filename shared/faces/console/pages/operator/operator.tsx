/** Settings of the whole installation, for tokens with the scope `admin`. */
import { useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { may, pathTo, session, useItems } from '../../api/index.ts'
import { ChoiceField, Empty, Page, useAddress } from '../../ui/index.ts'
import type { Tenant } from '../../../../api/resources/tenant.ts'
import { Audit } from './audit.tsx'
import { Checks } from './checks.tsx'
import { Keys } from './keys.tsx'
import { Notifications } from './notifications.tsx'
import { Policies } from './policies.tsx'
import { Tenants } from './tenants.tsx'
import { Tokens } from './tokens.tsx'
import type { SectionProps } from './section-props.ts'

type Section = { id: string; title: string; about: string; content: ComponentType<SectionProps>; ofTenant: boolean }

const sections: Section[] = [
  {
    id: 'tenants',
    title: 'Tenants',
    about: 'Customers or teams. None of them sees the data of another.',
    content: Tenants,
    ofTenant: false,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    about: 'Who may use the API of this server, and for what.',
    content: Tokens,
    ofTenant: true,
  },
  {
    id: 'policies',
    title: 'Limits',
    about: 'What a tenant may do and store. Changes apply at once.',
    content: Policies,
    ofTenant: true,
  },
  {
    id: 'audit',
    title: 'Audit trail',
    about: 'Who did what: writes, paid lookups, refusals and changes. Kept for a year.',
    content: Audit,
    ofTenant: true,
  },
  {
    id: 'keys',
    title: 'Keys',
    about: 'Master keys that encrypt the stored secrets. Only their ids are shown.',
    content: Keys,
    ofTenant: false,
  },
  {
    id: 'notifications',
    title: 'Notifications',
    about: 'Where notifications about the connections, subscriptions and starts of a tenant are sent.',
    content: Notifications,
    ofTenant: true,
  },
  {
    id: 'checks',
    title: 'Checks',
    about: 'What is wrong with this installation, and what to do about it, as “toolyard doctor” reports it.',
    content: Checks,
    ofTenant: false,
  },
]

const SectionLinks = ({ current, tenant }: { current: string; tenant: string }) => (
  <nav class="sections" aria-label="Operator">
    <ul>
      {sections.map(({ id, title, ofTenant }) => (
        <li key={id}>
          <a
            href={pathTo('operator', id) + (ofTenant && tenant !== 'default' ? `?tenant=${tenant}` : '')}
            aria-current={id === current ? 'page' : undefined}
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

const TenantPicker = ({ tenant }: SectionProps) => {
  const { change } = useAddress()
  const { items } = useItems<Tenant>('admin/tenants')
  return (
    <div class="tenant-picker">
      <ChoiceField
        label="Tenant"
        value={tenant}
        change={(id) => change({ tenant: id, cursor: undefined })}
        options={items.map(({ id, name }) => [
          id,
          items.some((row) => row.id !== id && row.name === name) ? `${name} (${id})` : name,
        ])}
      />
    </div>
  )
}

const NotForYou = () => (
  <Page title="Operator">
    <Empty picture="lock" title="These pages are for operators">
      <p>
        They need a token with the scope “admin”. You are signed in with the token “{session.value?.token.name}”, which
        has: {session.value?.token.scopes.join(', ')}.
      </p>
      <p>
        Sign out, then run <code>toolyard console</code> where the server runs, or ask your operator for such a token.
      </p>
    </Empty>
  </Page>
)

const Operator = () => {
  const { params } = useRoute()
  const { query } = useAddress()
  if (!may('admin')) return <NotForYou />
  const sectionId = params['section'] ?? 'tenants'
  const section = sections.find(({ id }) => id === sectionId)
  const tenant = query['tenant'] ?? 'default'
  const { title = 'Operator', about, content: Content, ofTenant } = section ?? {}
  return (
    <Page title={title}>
      <SectionLinks current={sectionId} tenant={tenant} />
      {about && <p class="muted">{about}</p>}
      {ofTenant && <TenantPicker tenant={tenant} />}
      {Content ? <Content key={tenant} tenant={tenant} /> : <Empty title="There is no such section" />}
    </Page>
  )
}

export default Operator
