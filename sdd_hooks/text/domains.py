"""Kinds of features, by what their users do with them, and the words of each."""

from __future__ import annotations

# A word behind `~` is that of other things, too.
_TEXT = """
auth authentication authorization ~identity login logout signin signup ~session sso oauth mfa ~token ~password ~credential ~account permission ~access jwt ~registration ~verification
payment billing invoice price refund currency money payout tax ~receipt ~charge discount
checkout cart basket ~catalogue ~product shipping ~delivery inventory coupon ~purchase payment ~order
subscription renewal trial billing quota ~plan
email mail notification sms push ~message chat inbox newsletter ~digest ~reminder ~alert
upload download attachment image video avatar media pdf thumbnail transcoding streaming photo
search ~filter ~ranking facet autocomplete ~suggestion
queue worker job cron scheduler ~background ~retry
cache caching eviction invalidation ~expiry
i18n l10n localization translation locale ~language
offline sync realtime websocket ~replication ~conflict ~presence
dashboard chart ~report ~metric analytics ~statistics visualization
onboarding wizard ~profile avatar tenant multi-tenant ~organization ~team invitation ~member
geolocation ~map ~address route ~place ~distance
webhook endpoint crud pagination ~api ~client ~callback
ui ux page modal form button layout icon theme tooltip widget element focus scroll screen mobile keyboard accessibility
query queryset sql orm migration transaction cursor crawler inference
backup ~restore ~retention ~archive ~snapshot ~recovery
~audit ~compliance ~consent ~privacy ~history
~observability ~monitoring ~tracing ~metric ~logging ~telemetry ~alert
~deployment ~release ~rollout ~rollback ~pipeline ~provisioning
~export ~import csv spreadsheet
"""  # noqa: E501 (one kind on each line)
_LINES = _TEXT.strip().split("\n")
DOMAINS = {line.split()[0].strip("~"): frozenset(line.replace("~", "").split()) for line in _LINES}
"""The words of each kind, by the first of them."""
DOMAIN_WORDS = frozenset(word for word in _TEXT.split() if word[0] != "~")
"""The words that name a kind of feature in any text."""
