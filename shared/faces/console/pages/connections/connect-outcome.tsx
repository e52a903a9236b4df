import type { Connection } from '../../../../api/resources/connection.ts'
import { integrationTitle, pathTo, useApi } from '../../api/index.ts'
import { Button, ProblemBox, useAddress } from '../../ui/index.ts'
import { accountOf, stateTexts } from './state.tsx'

const Came = ({ id }: { id: string }) => {
  const { data, problem } = useApi<Connection>(`connections/${encodeURIComponent(id)}`)
  if (problem) return <ProblemBox problem={problem} />
  if (!data) return null
  const { name, integration, state } = data
  const account = accountOf(data)
  return (
    <>
      <strong>
        <a href={pathTo('connections', id)}>{name}</a>
      </strong>{' '}
      ({integrationTitle(integration)}) is{' '}
      {state === 'connected' ? 'connected and tested' : stateTexts[state].title.toLowerCase()}
      {account !== undefined && account !== name && ` as ${account}`}. {stateTexts[state].todo}
    </>
  )
}

/** The outcome of the connect page, shown when the browser has returned from it. */
export const ConnectOutcome = () => {
  const { query, change } = useAddress()
  if (query['from'] !== 'connect') return null
  const id = query['connection']
  return (
    <div class={`cn-note ${id === undefined ? 'warn' : 'good'}`}>
      <p role="status">
        {id === undefined ? (
          'No account was connected. Start again when you are ready; each link works once, for ten minutes.'
        ) : (
          <Came id={id} />
        )}
      </p>
      <Button kind="quiet" onClick={() => change({ from: undefined, connection: undefined })}>
        Dismiss
      </Button>
    </div>
  )
}
