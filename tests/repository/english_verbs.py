"""The verbs by which check_plain_english.py tells a sentence from a fragment.

A noun that is spelled as a verb counts, too: the check finds most fragments, and takes no sentence for one. A sentence that is taken
for a fragment has a verb that is missing here.
"""

import re

IRREGULAR_FORMS = """
    am are be been began begun bought broke broken brought built came can cannot caught chose chosen could did does done
    drawn drew fallen fell forgot forgotten found gave given goes gone got grew grown had has have held hid hidden is kept
    knew known laid lain led left lost made may meant met might must paid ran said saw seen sent shall should shown slept
    spent stood taken thought threw thrown told took understood was went were will won would written wrote
""".split()
STEMS = """
    accept add agree align allocate allow answer append apply ask authenticate become begin belong bind block break bring
    build call cancel carry catch change check choose cite claim clean close come commit compare complete compute contain
    control convert copy cost count cover create crypt cut decide declare decode decrypt delete depend derive describe
    destroy differ disappear do draw drop encode encrypt end enqueue enter exceed exchange exist expand fail fall fill find
    finish fit flush follow forget free gain get give go grow guess hand happen hear help hide hold ignore implement
    include inspect interleave judge keep kill know lack lay lead learn leave let lie like limit link list live load lock
    look lose make map mark match mean measure meet mend migrate mind mix move multiply name need occur offer open
    overwrite own pad parse pass plan point prevent print promise protect put rank reach read receive record reduce refer
    refuse reject release rely remain remember remove rename repeat replace report require resume return reveal reverse
    rewrite round run save say scan seal search see seem send set share show shrink shut sign skip sleep sort spare specify
    split stamp stand start state stay step stop store subtract survive swap switch sync take tell think throw time touch
    transpose treat trust try turn understand unlink unseal update use verify wait want warn wipe withdraw work wrap write
""".split()


def forms_of(verb):
    """The verb, and its forms in -s and -ed: "copy", "copies", "copied"; "wrap", "wraps", "wrapped"."""
    stem = verb[:-1] + "i" if re.search("[^aeiou]y$", verb) else verb
    third = stem + ("es" if re.search("(i|s|sh|ch|x|o)$", stem) else "s")
    return {verb, third, verb + "d", stem + "ed", verb + verb[-1] + "ed"}


VERBS = {"don't", "doesn't", "isn't", "can't", *IRREGULAR_FORMS}.union(*map(forms_of, STEMS))
