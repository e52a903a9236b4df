import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

/** Tabs with the keyboard behaviour of the ARIA pattern. Only the chosen panel is mounted. */
export const Tabs = ({
  label,
  tabs,
}: {
  label: string
  tabs: { id: string; title: string; content: () => ComponentChildren }[]
}) => {
  const base = useId()
  const [chosen, choose] = useState(tabs[0]?.id)
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === current?.id)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const { id } = tabs[(to + tabs.length) % tabs.length]!
    choose(id)
    document.getElementById(`${base}-${id}`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title }) => (
          <button
            type="button"
            role="tab"
            key={id}
            id={`${base}-${id}`}
            aria-selected={id === current?.id}
            aria-controls={`${base}-panel`}
            tabIndex={id === current?.id ? 0 : -1}
            onClick={() => choose(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current?.id}`} tabIndex={0}>
        {current?.content()}
      </div>
    </div>
  )
}
