import { useEffect } from 'preact/hooks'
import { Page } from '../../ui/page.tsx'

const Usage = () => {
  useEffect(() => void import('uplot'), [])
  return <Page title="Usage">{null}</Page>
}

export default Usage
