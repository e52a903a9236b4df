import { Page } from '../../ui/page.tsx'

const Triggers = () => <Page title="Triggers">{null}</Page>

export default Triggers
