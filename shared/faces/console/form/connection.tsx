import { useEffect, useId } from 'preact/hooks'
import type { Connection } from '../../../api/resources/connection.ts'
import { manifestOf, may, pathTo, titleOf, useApi, usualOf } from '../api/index.ts'
import { Loading, ProblemBox, Select } from '../ui/index.ts'
import type { Choice } from '../ui/index.ts'
import type { ControlProps } from './control.ts'
import { useForm } from './context.ts'

type ChooserProps = {
  integration: string
  /** Connection types to offer; all when absent. */
  types?: string[] | undefined
  value: string | undefined
  onChange(id: string | undefined): void
  required?: boolean
  attributes?: Partial<ControlProps['attributes']>
}

/** A link for each connection type that fits: to log in to an account, or to enter its key and token. */
const ConnectLinks = ({ integration, types }: Pick<ChooserProps, 'integration' | 'types'>) => {
  const ways = manifestOf(integration)?.connections.filter(({ id }) => types?.includes(id) ?? true) ?? []
  if (ways.length === 0 || !may('connections')) return null
  const addressOf = (type: string) => `${pathTo('connections')}?${new URLSearchParams({ integration, connect: type })}`
  return (
    <p class="field-about">
      Connect another account:{' '}
      {ways.map(({ id, title }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a href={addressOf(id)}>{title}</a>
        </span>
      ))}
    </p>
  )
}

/** The title of the connection type, or undefined when the integration has only one. */
const typeTitle = (integration: string, type: string) => {
  const ways = manifestOf(integration)?.connections ?? []
  return ways.length > 1 ? ways.find(({ id }) => id === type)?.title : undefined
}

const optionOf = ({ integration, type, state, isDefault, ...account }: Connection) => (
  <>
    {titleOf(account)}
    {isDefault && ' (default)'}
    {typeTitle(integration, type) !== undefined && `, ${typeTitle(integration, type)}`}
    {state !== 'connected' && ` – ${state.replaceAll('_', ' ')}`}
  </>
)

/**
 * A select of an integration's connected accounts. The default connection is chosen at first; when there is none, a
 * link leads to connecting one.
 */
export const ConnectionSelect = ({
  integration,
  types,
  value,
  onChange,
  required = true,
  attributes = {},
}: ChooserProps) => {
  const { data, problem, loading, reload } = useApi<{ items: Connection[] }>('connections', { integration, limit: 200 })
  const accounts = data?.items.filter(({ type }) => types?.includes(type) ?? true)
  const usual = accounts && usualOf(accounts)
  useEffect(() => {
    if (required && value === undefined && usual) onChange(usual.id)
  }, [usual?.id])
  if (problem) return <ProblemBox problem={problem} retry={reload} />
  if (!accounts) return loading ? <Loading what="your connections" /> : null
  if (accounts.length === 0)
    return (
      <p>
        No account is connected.{' '}
        <a href={`${pathTo('connections')}?integration=${encodeURIComponent(integration)}`}>Connect one</a>
      </p>
    )
  return (
    <Select
      {...attributes}
      required={required}
      value={value ?? ''}
      change={(id) => onChange(id || undefined)}
      options={[
        ...(required ? [] : [['', 'Not set'] as Choice]),
        ...(required && !usual ? [['', 'Choose…'] as Choice] : []),
        ...accounts.map((account): Choice => [account.id, optionOf(account)]),
      ]}
    />
  )
}

type FieldProps = Omit<ChooserProps, 'attributes'> & { title?: string; description?: string | undefined }

/** A labelled `ConnectionSelect`: the field that a page draws before the form of a step or trigger. */
export const ConnectionField = ({ title = 'Connection', description, ...props }: FieldProps) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <ConnectionSelect
        {...props}
        attributes={{ id, 'aria-describedby': description === undefined ? undefined : `${id}-about` }}
      />
      {description !== undefined && (
        <p class="field-about" id={`${id}-about`}>
          {description}
        </p>
      )}
      <ConnectLinks integration={props.integration} types={props.types} />
    </div>
  )
}

/** The control of a layout's field that holds a connection. */
export const ConnectionControl = ({ field, value, set, attributes }: ControlProps) => {
  const { integration = '' } = useForm()
  const { types } = field as { types?: string[] }
  return (
    <ConnectionSelect
      integration={integration}
      types={types}
      value={value as string | undefined}
      onChange={set}
      required={field.required}
      attributes={attributes}
    />
  )
}
