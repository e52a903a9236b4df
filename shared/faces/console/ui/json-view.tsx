/** JSON as a tree that opens level by level; values are rendered as text. */
import { useState } from 'preact/hooks'
import { Button } from './basics.tsx'

const step = 100
const isOpenable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

const Leaf = ({ value }: { value: unknown }) => (
  <code class={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value) ?? 'undefined'}</code>
)

const Branch = ({ name, value, depth }: { name: string; value: object; depth: number }) => {
  const [isOpen, setOpen] = useState(depth > 0)
  const [shown, setShown] = useState(step)
  const entries = Object.entries(value)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{name}</code>{' '}
        <span class="muted">{`${entries.length} ${Array.isArray(value) ? 'item' : 'field'}${entries.length === 1 ? '' : 's'}`}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, part]) => (
            <li key={key}>
              {isOpenable(part) ? (
                <Branch name={key} value={part} depth={depth - 1} />
              ) : (
                <>
                  <code>{key}</code>: <Leaf value={part} />
                </>
              )}
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <Button kind="quiet" onClick={() => setShown(shown + step)}>
                Show more
              </Button>
            </li>
          )}
        </ul>
      )}
    </details>
  )
}

/** `open`: the number of levels that are open at first. */
export const JsonView = ({ value, name = 'value', open = 2 }: { value: unknown; name?: string; open?: number }) => (
  <div class="json">
    {isOpenable(value) ? <Branch name={name} value={value} depth={open} /> : <Leaf value={value} />}
  </div>
)
