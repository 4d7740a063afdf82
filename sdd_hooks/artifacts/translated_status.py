"""The statuses of records that are not written in English, and the names of the field."""

# Governing: SPEC-0002 REQ "Status"

from __future__ import annotations

import re

from sdd_hooks.text.lazy_regex import lazy_regex

# German, French, Spanish, Portuguese, Italian, Dutch, Russian, Chinese, Japanese, Korean.
_WORDS = {
    "accepted": "akzeptiert|angenommen|beschlossen|entschieden|accept[ée][es]{0,2}"
    "|adopt[ée][es]{0,2}|confirmad[oa]|aceptad[oa]|adoptad[oa]|aceit[oa]|adotad[oa]|accettat[oa]|adottat[oa]"
    "|geaccepteerd|aangenomen|принят[оаы]?|已?接受|已?采纳|已采用|已通过|承認(?:済み?)?|採用(?:済み?)?"
    "|승인됨?|채택됨?",
    "proposed": "vorgeschlagen|vorschlag|propos[ée][es]{0,2}|proposition|propuest[oa]|propost[oa]"
    "|voorgesteld|предложен[оаы]?|已?提议|已?提案|提案(?:中|済み?)|제안됨?",
    "rejected": "abgelehnt|verworfen|rejet[ée][es]{0,2}|refus[ée][es]{0,2}|rechazad[oa]"
    "|rejeitad[oa]|rifiutat[oa]|respint[oa]|afgewezen|verworpen|отклонен[оаы]?|отклонён|已?拒绝|已?否决"
    "|却下|棄却|거부됨?|거절됨?",
    "deprecated": "veraltet|zurückgezogen|obsol[èe]te|d[ée]pr[ée]ci[ée][es]{0,2}|obsolet[oa]"
    "|en desuso|depreciad[oa]|descontinuad[oa]|deprecat[oa]|verouderd|устарел[оаи]?|已?弃用"
    "|已?废弃|已?废除"
    "|非推奨|廃止(?:済み?)?|폐기됨?|사용 중단",
    "superseded": "ersetzt|abgelöst|überholt|remplac[ée][es]{0,2}|reemplazad[oa]|sustituid[oa]"
    "|substitu[íi]d[oa]|sostituit[oa]|vervangen|заменен[оаы]?|заменён|已?被?取代|已?被?替代"
    "|置き?換え(?:済み?)?|대체됨?",
    "draft": "entwurf|brouillon|borrador|rascunho|bozza|concept|черновик|草稿|草案|下書き|초안",
    "review": "in prüfung|en revue|en revisión|em revisão|in revisione|на рассмотрении|审核中"
    "|レビュー中|검토 중",
    "approved": "genehmigt|freigegeben|approuv[ée][es]{0,2}|aprobad[oa]|aprovad[oa]"
    "|approvat[oa]|goedgekeurd|утвержден[оаы]?|утверждён|已?批准",
    "implemented": "umgesetzt|implementiert|impl[ée]ment[ée][es]{0,2}|implementad[oa]"
    "|implementat[oa]|geïmplementeerd|реализован[оаы]?|已?实施|已?实现|実装済み?|구현됨?",
    "deferred": "zurückgestellt|verschoben|report[ée][es]{0,2}|aplazad[oa]|adiad[oa]|rinviat[oa]"
    "|uitgesteld|отложен[оаы]?|已?推迟|保留|보류",
}

TRANSLATED_WORD = lazy_regex(
    "(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _WORDS.items()) + r")(?!\w)",
    re.IGNORECASE,
)
"""A word that means a status; the name of its group is the status."""

STATUS_NAMES = "status|estado|estatus|statut|stato|статус|状态|狀態|ステータス|상태"
"""What the heading of the section with the status may be, as alternatives of a pattern."""

STATUS_FIELDS = frozenset(
    {"status", "adr-status", "decision-status", "estado", "estatus", "statut", "stato"}
)
"""What the field with the status may be called."""
