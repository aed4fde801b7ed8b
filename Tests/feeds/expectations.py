"""What importing each file of files/ gives.

The files have the headers and oddities of public datasets; their contents are invented.

file      one file, or several in one command; options: further arguments of geoq import
counts    read, inserted, rejected; not given if the import is refused
status    exit status, 0 unless given
messages  patterns: every line on standard error matches one, and every pattern a line
records   by name: all members but id, source, sourceID and ratingScale, which are compared only if
          they are given; of extra those given. None: the member is absent. either(…): any of these.
"""


def either(*values: object) -> tuple:
    return values


REFUSED = 65
NO_POSITION = r"^(?!Error).*(latitude|longitude|position|geometry|point)"
REPEATED = [r"same as in record|no id of its own", r"--duplicates"]
AT_ZERO = r"0, ?0|both 0"
NUMBERS_AS_TEXT = r"text; read as a number|texts?; read as numbers"
NOT_UTF8 = [r"--encoding windows-1252"]

LUNA = {
    "id": "90000001",
    "latitude": 40.7181,
    "longitude": -73.9987,
    "address": "118 IMAGINARY STREET",
    "city": "Manhattan",
    "postalCode": "10099",
    "phone": "2125550111",
    "category": "Chinese",
}
HEADERLESS = {
    "Pretend Pub": {
        "id": "2",
        "address": "8 Unreal Ave",
        "city": "Plano",
        "state": "TX",
        "latitude": 33.0198,
        "longitude": -96.6989,
    },
}

CASES = {
    # inspections by cities: a row for each inspection, so ids repeat on purpose
    "new-york-inspections": {
        "file": "new-york-inspections.csv",
        "counts": (5, 3, 2),
        "messages": [*REPEATED, AT_ZERO],
        "records": {"LUNA NOODLE BAR": {**LUNA, "extra": {"GRADE": "A", "SCORE": "9"}}},
    },
    "new-york-inspections-first": {
        "file": "new-york-inspections.csv",
        "options": "--duplicates first",
        "counts": (5, 3, 1),
        "messages": [AT_ZERO],
        "records": {"LUNA NOODLE BAR": {**LUNA, "extra": {"GRADE": "A", "SCORE": "9"}}},
    },
    "new-york-inspections-last": {
        "file": "new-york-inspections.csv",
        "options": "--duplicates last",
        "counts": (5, 3, 1),
        "messages": [AT_ZERO],
        "records": {"LUNA NOODLE BAR": {**LUNA, "extra": {"GRADE": "B", "SCORE": "21"}}},
    },
    "new-york-null-island": {
        "file": "new-york-inspections.csv",
        "options": "--duplicates first --allow-null-island",
        "counts": (5, 4, 0),
        "messages": [],
        "records": {
            "GHOST KITCHEN NINE": {
                "latitude": 0,
                "longitude": 0,
                "address": "NOWHERE PLAZA",
                "city": "Queens",
                "phone": "9295550133",
                "category": "Pizza",
            }
        },
    },
    "new-york-socrata-json": {
        "file": "new-york-inspections.json",
        "counts": (3, 2, 1),
        "messages": [NUMBERS_AS_TEXT, AT_ZERO],
        "records": {"LUNA NOODLE BAR": {**LUNA, "extra": {"score": "21", "grade": "B"}}},
    },
    "socrata-geocoded-column": {
        "file": "socrata-geocoded-column.json",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Copper Kettle": {
                "latitude": 41.7637,
                "longitude": -72.6851,
                "address": "12 Pretend Road",
                "city": "Hartford",
                "state": "CT",
                "postalCode": "06199",
            }
        },
    },
    "socrata-location": {
        "file": "socrata-location.json",
        "counts": (2, 2, 0),
        "records": {
            "Harbor Crab": {
                "latitude": 39.285,
                "longitude": -76.6,
                "address": either(None, "8 Unreal St"),
                "city": either(None, "Baltimore"),
                "state": either(None, "MD"),
                "postalCode": either(None, "21299"),
            }
        },
    },
    # the license number is 0 if there is none: it is not an id
    "chicago-inspections": {
        "file": "chicago-inspections.csv",
        "counts": (6, 4, 2),
        "messages": [*REPEATED, NO_POSITION],
        "records": {
            "THREE BEARS CAFE": {
                "latitude": 41.8835,
                "longitude": -87.6311,
                "address": either("100 W INVENTED ST", "100 W INVENTED ST "),
                "city": "CHICAGO",
                "state": "IL",
                "postalCode": "60699",
                "category": "Restaurant",
                "extra": {"AKA Name": "THREE BEARS", "Results": "Pass"},
            }
        },
    },
    "chicago-inspections-last": {
        "file": "chicago-inspections.csv",
        "options": "--duplicates last",
        "counts": (6, 4, 1),
        "messages": [NO_POSITION],
        "records": {
            "THREE BEARS CAFE": {
                "latitude": 41.8835,
                "longitude": -87.6311,
                "address": either("100 W INVENTED ST", "100 W INVENTED ST "),
                "city": "CHICAGO",
                "state": "IL",
                "postalCode": "60699",
                "category": "Restaurant",
                "extra": {"Results": "Fail"},
            }
        },
    },
    "san-francisco-scores": {
        "file": "san-francisco-scores.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "FOGHORN CAFE": {
                "latitude": 37.7839,
                "longitude": -122.4087,
                "address": "350 Imagined St",
                "city": "San Francisco",
                "state": "CA",
                "postalCode": "94199",
                "phone": "+14155550101",
                "extra": {"inspection_score": "96"},
            }
        },
    },
    "san-francisco-food-trucks": {
        "file": "foodtrucks-sf.csv",
        "counts": (2, 1, 1),
        "messages": [AT_ZERO],
        "records": {
            "Madeup Munchies": {
                "latitude": 37.76785,
                "longitude": -122.4161,
                "address": "55 INVENTED ST",
                "category": "Truck",
                "hours": either(None, "Mo-Fr:9AM-2PM"),
                "extra": {"Status": "APPROVED"},
            }
        },
    },
    "los-angeles-businesses": {
        "file": "los-angeles-businesses.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "QUIET OAK KITCHEN": {
                "latitude": 34.0928,
                "longitude": -118.3287,
                "address": "1200 N FICTION BOULEVARD",
                "city": "LOS ANGELES",
                "postalCode": "90099-1234",
                "extra": {"BUSINESS NAME": "QUIET OAK LLC"},
            },
            "PALM STREET TACOS INC": {
                "latitude": 33.9908,
                "longitude": -118.4661,
                "address": "44 S STORY STREET",
                "city": "VENICE",
                "postalCode": "90299-0001",
            },
        },
    },
    "boston-food-establishments": {
        "file": "boston-food-establishments.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Chowder House": {
                "latitude": 42.3533,
                "longitude": -71.1327,
                "address": "200   Fabled AVE",
                "city": "Allston",
                "state": "MA",
                "postalCode": "02199",
                "extra": {"businessname": "CHOWDER HOUSE LLC", "dayphn_cleaned": "16175550102"},
            }
        },
    },
    # the position is the last line of the address
    "austin-inspections": {
        "file": "austin-inspections.csv",
        "status": REFUSED,
        "messages": [r"no latitude and longitude.*\"Address\".*--lat-col"],
    },
    "austin-inspections-point": {
        "file": "austin-inspections.csv",
        "options": "--point-col address",
        "counts": (3, 3, 0),
        "messages": [],
        "records": {
            "Moontower Noodles": {
                "latitude": 30.3,
                "longitude": -97.74,
                "address": "7 FALSE CREEK DR\nAUSTIN, TX 78797",
                "postalCode": "78797",
                "extra": {"Score": "88"},
            }
        },
    },
    "king-county-inspections": {
        "file": "king-county-inspections.csv",
        "options": "--id-col business_id --duplicates first",
        "counts": (3, 2, 0),
        "messages": [],
        "records": {
            "#1 RAINY DAY RAMEN": {
                "id": "PR0090001",
                "latitude": 47.6205,
                "longitude": -122.341,
                "address": "1001 INVENTED AVE N",
                "city": "SEATTLE",
                "postalCode": "98199",
                "phone": "(206) 555-0101",
                "description": "Seating 13-50 - Risk Category III",
                "extra": {"Inspection Score": "0", "Grade": "1"},
            }
        },
    },
    # services
    "yelp-academic": {
        "file": "yelp-academic.jsonl",
        "counts": (3, 3, 0),
        "records": {
            "Pretzel & Pine": {
                "id": "aaAAbbBBccCCddDDeeEE01",
                "latitude": 39.9555052,
                "longitude": -75.1555641,
                "address": "935 Invented St",
                "city": "Philadelphia",
                "state": "PA",
                "postalCode": "19199",
                "category": "Restaurants, Food, Bubble Tea",
                "rating": 4,
                "ratingScale": 5,
                "reviewCount": 80,
                "priceLevel": 1,
                "hours": '{"Monday":"7:0-20:0","Tuesday":"7:0-20:0"}',
            },
            "Gone Goose": {
                "latitude": 27.9164,
                "longitude": -82.7602,
                "city": "Tampa",
                "state": "FL",
                "postalCode": "33699",
                "rating": 2.5,
                "reviewCount": 6,
                "closed": True,
            },
        },
    },
    "yelp-api": {
        "file": "yelp-api.json",
        "counts": (2, 1, 1),
        "messages": ["latitude is missing"],
        "records": {
            "Garlic & Gold": {
                "id": "x1x1x1x1x1x1x1x1x1x1x1",
                "latitude": 37.787789,
                "longitude": -122.399305,
                "address": "35 Invented St",
                "city": "San Francisco",
                "state": "CA",
                "postalCode": "94199",
                "countryCode": "US",
                "formattedAddress": ["35 Invented St", "San Francisco, CA 94199"],
                "phone": "+14155550101",
                "formattedPhone": "(415) 555-0101",
                "category": "New American, Bars",
                "imageURL": "https://images.example/o1.jpg",
                "website": "https://www.yelp.example/biz/garlic-and-gold-san-francisco",
                "rating": 4.5,
                "reviewCount": 1738,
                "priceLevel": 3,
            }
        },
    },
    "foursquare-os-places": {
        "file": "foursquare-os-places.jsonl",
        "counts": (3, 2, 1),
        "messages": ["latitude is missing"],
        "records": {
            "Pho Made-Up": {
                "id": "4b0000000000000000000001",
                "latitude": 29.7604,
                "longitude": -95.3698,
                "address": "400 Fable St",
                "city": "Houston",
                "state": "TX",
                "postalCode": "77099",
                "countryCode": "US",
                "phone": "(713) 555-0101",
                "website": "http://phomadeup.example",
                "twitter": "phomadeup",
                "category": "Dining and Drinking > Restaurant > Asian Restaurant > Vietnamese Restaurant",
            },
            "Shut Cantina": {
                "latitude": 29.75,
                "longitude": -95.37,
                "city": "Houston",
                "state": "TX",
                "countryCode": "US",
                "closed": True,
            },
        },
    },
    "foursquare-api": {
        "file": "foursquare-api.json",
        "counts": (2, 2, 0),
        "records": {
            "Lake Effect Lunch": {
                "id": "5a0000000000000000000001",
                "latitude": 41.8781,
                "longitude": -87.6298,
                "address": "1 W Invented Dr",
                "crossStreet": "at Fable St",
                "city": "Chicago",
                "state": "IL",
                "postalCode": "60699",
                "countryCode": "US",
                "formattedAddress": ["1 W Invented Dr (at Fable St), Chicago, IL 60699"],
                "phone": "(312) 555-0101",
                "website": "https://lakeeffect.example",
                "category": "Restaurant",
                "rating": 8.4,
                "ratingScale": 10,
                "priceLevel": 2,
            }
        },
    },
    "google-places-new": {
        "file": "google-places-new.json",
        "counts": (2, 2, 0),
        "records": {
            "Trattoria Inventata": {
                "id": "ChIJmadeup0001",
                "latitude": -33.8671,
                "longitude": 151.2071,
                "formattedAddress": ["2 Fable St, Sydney NSW 2099, Australia"],
                "phone": "+61 2 5550 0101",
                "formattedPhone": "(02) 5550 0101",
                "website": "https://inventata.example/",
                "category": "Italian Restaurant",
                "rating": 4.3,
                "ratingScale": 5,
                "reviewCount": 621,
                "priceLevel": 2,
                "hours": "Monday: 11:00 AM – 9:00 PM; Tuesday: Closed",
            },
            "Shuttered Shrimp": {
                "latitude": -33.85,
                "longitude": 151.2,
                "formattedAddress": ["9 Pretend Ln, Sydney NSW 2098, Australia"],
                "category": "restaurant",
                "closed": True,
            },
        },
    },
    "google-places-old": {
        "file": "google-places-old.json",
        "counts": (2, 2, 0),
        "records": {
            "Harbour Cruise Cafe": {
                "id": "ChIJmadeup0003",
                "latitude": -33.8587323,
                "longitude": 151.2100055,
                "address": "32 Imaginary Street, Sydney",
                "category": "restaurant",
                "rating": 4.1,
                "reviewCount": 269,
                "priceLevel": 2,
            }
        },
    },
    "zomato-api": {
        "file": "zomato-api.json",
        "counts": (2, 1, 1),
        "messages": [AT_ZERO],
        "records": {
            "Skyline Invented": {
                "id": "9200001",
                "latitude": 40.7484,
                "longitude": -73.9857,
                "address": "100 Madeup Street, New York 10099",
                "city": "New York City",
                "postalCode": "10099",
                "phone": either("(212) 555-0101", None),
                "website": "https://zomato.example/skyline",
                "imageURL": either("https://images.example/f.jpg", "https://images.example/t.jpg", None),
                "category": "Burger, American",
                "rating": 4.6,
                "ratingScale": 5,
                "reviewCount": 2201,
                "priceLevel": 3,
                "hours": either("11 AM to 10 PM", None),
            }
        },
    },
    "overture-places": {
        "file": "overture-places.geojson",
        "counts": (3, 2, 1),
        "messages": ["name is missing"],
        "records": {
            "Common Cup": {
                "id": "08f00000-0000-0000-0000-000000000001",
                "latitude": 42.3554,
                "longitude": -71.0636,
                "address": "1 Fable St",
                "city": "Boston",
                "state": "US-MA",
                "postalCode": "02199",
                "countryCode": "US",
                "phone": "+16175550101",
                "website": "https://commoncup.example/",
                "category": "coffee_shop",
            },
            "Gone Grill": {"latitude": 42.36, "longitude": -71.07, "closed": True},
        },
    },
    "overpass": {
        "file": "overpass.json",
        "counts": (4, 3, 1),
        "messages": ["name is missing"],
        "records": {
            "Da Nessuno": {
                "id": "node/900001",
                "latitude": 52.5200066,
                "longitude": 13.404954,
                "address": "Erfundene Straße 12a",
                "city": "Berlin",
                "postalCode": "10999",
                "countryCode": "DE",
                "phone": "+49 30 5550101",
                "website": "https://danessuno.example",
                "category": "restaurant, italian, pizza",
                "hours": "Mo-Fr 11:00-22:00; Sa off",
            },
            "Café Nirgendwo": {"id": "way/900001", "latitude": 52.51, "longitude": 13.39, "category": "cafe"},
            "Wurstwelt": {"id": "node/900003", "latitude": 52.5, "longitude": 13.38, "category": "fast_food",
                          "chain": "Wurstwelt"},
        },
    },
    "overpass-turbo": {
        "file": "overpass-turbo.geojson",
        "counts": (2, 2, 0),
        "messages": ["center of the outline"],
        "records": {
            "Le Bouchon Inventé": {
                "id": "way/900011",
                "latitude": 45.765,
                "longitude": 4.835,
                "address": "7 Rue Imaginaire",
                "city": "Lyon",
                "postalCode": "69999",
                "phone": "+33 4 55 50 01 01",
                "category": "restaurant, french",
            }
        },
    },
    "all-the-places": {
        "file": "all-the-places.geojson",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Invented Burgers": {
                "id": "AAAAmadeup0001AAAA",
                "latitude": 39.7392,
                "longitude": -104.9903,
                "address": "100 Fable Street",
                "city": "Denver",
                "state": "CO",
                "postalCode": "80299",
                "countryCode": "US",
                "phone": "+1 303-555-0101",
                "website": "https://burgers.example/1001",
                "category": either("fast_food, burger", "fast_food", "burger"),
                "chain": "Invented Burgers",
                "hours": "Mo-Su 10:00-22:00",
            },
            "Invented Burgers Express": {
                "latitude": 40.015,
                "longitude": -105.27,
                "address": "7 Pretend Way",
                "city": "Boulder",
                "countryCode": "US",
                "chain": "Invented Burgers Express",
            },
        },
    },
    "arcgis-geojson": {
        "file": "arcgis.geojson",
        "options": "--allow-partial",
        "counts": (3, 2, 1),
        "messages": ["geometry is missing"],
        "records": {
            "The Paper Lantern": {
                "id": "1",
                "latitude": 51.5014,
                "longitude": -0.1419,
                "address": "21 Fable Row",
                "city": "London",
                "postalCode": "SW99 1AA",
                "phone": "+44 20 5550 0101",
                "website": "https://paperlantern.example",
                "category": either("restaurant, chinese", "chinese"),
            },
            "Plain Cafe": {"latitude": 51.51, "longitude": -0.12, "address": "Pretend Yard", "category": "cafe"},
        },
    },
    "arcgis-json": {"file": "arcgis.json", "status": REFUSED, "messages": ["f=geojson"]},
    # the United Kingdom's Food Hygiene Rating Scheme
    "food-hygiene-json": {
        "file": "food-hygiene.json",
        "counts": (3, 2, 1),
        "messages": ["latitude is missing", "is text; read as a number"],
        "records": {
            "Ye Olde Invention": {
                "id": "900001",
                "latitude": 53.799004,
                "longitude": -1.549077,
                "address": "1 Fable Street",
                "postalCode": "LS99 1AA",
                "category": "Restaurant/Cafe/Canteen",
            }
        },
    },
    "food-hygiene-api": {
        "file": "food-hygiene-api.json",
        "counts": (1, 1, 0),
        "messages": ["is text; read as a number"],
        "records": {
            "Crumb & Co": {
                "id": "900011",
                "latitude": 51.381,
                "longitude": -2.359,
                "address": "3 Pretend Row",
                "postalCode": "BA99 1AA",
                "category": "Restaurant/Cafe/Canteen",
            }
        },
    },
    # the part that says it is one, without the word that it may be
    "arcgis-part": {"file": "arcgis.geojson", "status": REFUSED, "messages": ["it is a part, 3 of more.*--allow-partial"]},
    # the same records, one per line
    "food-hygiene-lines": {
        "file": "food-hygiene.jsonl",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Ye Olde Invention": {
                "latitude": 53.799004,
                "longitude": -1.549077,
                "address": "1 Fable Street",
                "postalCode": "LS99 1AA",
                "category": "Restaurant/Cafe/Canteen",
                "rating": either(None, 5),
            }
        },
    },
    "food-hygiene": {
        "file": "food-hygiene.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Ye Olde Invention": {
                "latitude": 53.799004,
                "longitude": -1.549077,
                "address": "1 Fable Street",
                "postalCode": "LS99 1AA",
                "category": "Restaurant/Cafe/Canteen",
                "rating": either(None, 5),
            },
            "Chip Shop & Sons": {
                "latitude": 53.8,
                "longitude": -1.5,
                "address": "2 Fable Street",
                "postalCode": "LS99 2BB",
                "category": "Takeaway/sandwich shop",
            },
        },
    },
    # tables from Kaggle and companies
    "michelin": {
        "file": "michelin.csv",
        "counts": (4, 4, 0),
        "records": {
            "Maison Imaginaire": {
                "latitude": 48.856,
                "longitude": 2.331,
                "address": "1 rue Inventée, Paris, 75099, France",
                "city": either("Paris", None),
                "country": either("France", None),
                "phone": "+33155500101",
                "website": "https://maison-imaginaire.example/",
                "category": "Creative, French",
                "priceLevel": 4,
                "description": "A <i>made-up</i> house, with a long description.",
                "extra": {"Award": "3 Stars"},
            },
            "Nishi-no-Sora": {
                "latitude": 35.0116,
                "longitude": 135.7681,
                "address": "9-9 Sorata-cho, Kyoto, 600-9999, Japan",
                "city": either("Kyoto", None),
                "country": either("Japan", None),
                "website": either("https://guide.example/en/restaurant/nishi-no-sora", None),
                "category": "Japanese",
                "priceLevel": 3,
            },
            "The Fable Arms": {
                "latitude": 51.5072,
                "longitude": -0.1276,
                "address": "5 Pretend Lane, London, SW99 9ZZ, United Kingdom",
                "city": either("London", None),
                "country": either("United Kingdom", None),
                "phone": "+442055500103",
                "website": "https://fable-arms.example/",
                "category": "Modern British",
                "priceLevel": 2,
            },
        },
    },
    "zomato-utf8": {"file": "zomato.csv", "status": REFUSED, "messages": NOT_UTF8},
    "zomato": {
        "file": "zomato.csv",
        "options": "--encoding windows-1252",
        "counts": (3, 2, 1),
        "messages": [AT_ZERO],
        "records": {
            "Café Inventé": {
                "id": "9100001",
                "latitude": 14.565443,
                "longitude": 121.027535,
                "address": "Third Floor, Made Up Mall, Makati City",
                "city": "Makati City",
                "category": "French, Japanese, Desserts",
                "rating": 4.8,
                "reviewCount": 314,
                "priceLevel": 3,
                "extra": {"Locality": "Made Up Mall, Makati City", "Country Code": "162"},
            },
            "Pão & Queijo": {
                "latitude": -23.5505,
                "longitude": -46.6333,
                "address": "Rua Fictícia 12, São Paulo",
                "city": "São Paulo",
                "category": "Brazilian",
                "rating": either(0, None),
                "reviewCount": 0,
                "priceLevel": 2,
            },
        },
    },
    "tripadvisor": {
        "file": "tripadvisor.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Le Conte Bleu": {
                "latitude": 48.3904,
                "longitude": -4.4861,
                "address": "9 Rue Inventee, 29999 Brest France",
                "city": "Brest",
                "state": "Brittany",
                "country": "France",
                "category": "French, European",
                "rating": 4.5,
                "reviewCount": 121,
                "priceLevel": either(2, 2.5, 3, None),
                "hours": either(None, '{"Mon": ["12:00-14:00"], "Tue": []}'),
            },
            "Chez Rien": {
                "latitude": 48.383,
                "longitude": -4.495,
                "address": "1 Quai du Vide, 29999 Brest France",
                "city": "Brest",
                "state": "Brittany",
                "country": "France",
                "category": "Fast food",
                "rating": 3,
                "reviewCount": 2,
                "priceLevel": 1,
            },
        },
    },
    "uber-eats": {
        "file": "uber-eats.csv",
        "counts": (3, 3, 0),
        "records": {
            "Jim 'N Nick's Imaginary Barbecue": {
                "id": "2",
                "latitude": 33.58364,
                "longitude": -86.77333,
                "formattedAddress": either(["1 Madeup Park, Pretendville, AL, 35298"], None),
                "address": either("1 Madeup Park, Pretendville, AL, 35298", None),
                "postalCode": "35298",
                "category": "Southern, Comfort Food",
                "priceLevel": 2,
                "extra": {"score": "4.8", "ratings": "44"},
            }
        },
    },
    "uber-eats-columns": {
        "file": "uber-eats.csv",
        "options": "--col rating=Score --col reviewCount=ratings --col address=FULL_ADDRESS",
        "counts": (3, 3, 0),
        "messages": [],
        "records": {
            "Jim 'N Nick's Imaginary Barbecue": {
                "latitude": 33.58364,
                "longitude": -86.77333,
                "address": "1 Madeup Park, Pretendville, AL, 35298",
                "formattedAddress": either(["1 Madeup Park, Pretendville, AL, 35298"], None),
                "postalCode": "35298",
                "category": "Southern, Comfort Food",
                "priceLevel": 2,
                "rating": 4.8,
                "reviewCount": 44,
            }
        },
    },
    "fast-food-datafiniti": {
        "file": "fast-food-datafiniti.csv",
        "counts": (3, 3, 0),
        "records": {
            "Wendina's": {
                "latitude": 39.53255,
                "longitude": -83.44526,
                "address": "530 Fable Ave",
                "city": "Washington Court House",
                "state": "OH",
                "postalCode": "43199",
                "country": "US",
                "website": either("http://www.wendinas.example", None),
            }
        },
    },
    "starbucks-locations": {
        "file": "starbucks-locations.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Meritxell, 999": {
                "id": "47370-257954",
                "latitude": 42.51,
                "longitude": 1.53,
                "address": "Av. Fábula, 999",
                "city": "Andorra la Vella",
                "state": "7",
                "postalCode": "AD599",
                "country": "AD",
                "phone": "376555101",
                "chain": "Invented Coffee",
                "extra": {"Ownership Type": "Licensed"},
            }
        },
    },
    "starbucks-by-brand": {
        "file": "starbucks-locations.csv",
        "options": "--name-col brand --id-col 'STORE_NUMBER' --col crossStreet=store-name",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
    },
    "safegraph": {
        "file": "safegraph.txt",
        "counts": (2, 2, 0),
        "records": {
            "Fable Fish House": {
                "latitude": 47.6097,
                "longitude": -122.3331,
                "address": "1 Invented Pl",
                "city": "Seattle",
                "state": "WA",
                "postalCode": "98199",
                "countryCode": "US",
                "phone": "+12065550101",
                "category": either(
                    "Full-Service Restaurants", "Restaurants and Other Eating Places", "Seafood", None
                ),
                "hours": either('{ "Mon": [["11:00", "21:00"]] }', None),
            }
        },
    },
    "geoapify": {
        "file": "geoapify.csv",
        "counts": (2, 2, 0),
        "records": {
            "Kuchnia Wymyślona": {
                "id": "51madeup0001",
                "latitude": 50.0646,
                "longitude": 19.9449,
                "address": "ulica Bajkowa 5",
                "city": "Krakow",
                "state": "Lesser Poland Voivodeship",
                "postalCode": "31-999",
                "countryCode": "pl",
                "country": "Poland",
                "formattedAddress": either(
                    None, ["Kuchnia Wymyślona, ulica Bajkowa 5, 31-999 Krakow, Poland"]
                ),
                "phone": "+48 12 555 01 01",
                "website": "https://wymyslona.example",
                "category": "catering.restaurant,catering",
                "hours": "Mo-Su 12:00-22:00",
            }
        },
    },
    "geofabrik-pois": {
        "file": "geofabrik-pois.csv",
        "counts": (3, 2, 1),
        "messages": ["name is missing"],
        "records": {
            "Zum Fabelwesen": {"latitude": 52.52, "longitude": 13.405, "category": either("restaurant", None)}
        },
    },
    # tables of other countries
    "vienna": {
        "file": "vienna.csv",
        "counts": (3, 2, 1),
        "messages": [NO_POSITION],
        "records": {
            "Café Erfunden": {
                "latitude": 48.2084,
                "longitude": 16.3725,
                "address": "Baumgasse 54",
                "phone": "+43 1 5550101",
                "website": either("https://erfunden.example", None),
            },
            "Gasthaus „Zum Märchen“": {"latitude": 48.2, "longitude": 16.36, "address": "Nirgendsgasse 7"},
        },
    },
    "german": {
        "file": "german.csv",
        "options": "--lat-col breitengrad --lon-col LÄNGENGRAD --address-col straße --city-col ort "
        "--postal-code-col plz --phone-col telefon --col rating=bewertung",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Gasthof zum Einhorn": {
                "latitude": 48.137154,
                "longitude": 11.576124,
                "address": "Fabelweg 3",
                "city": "München",
                "postalCode": "80999",
                "phone": "089 5550101",
                "rating": 4.5,
            },
            "Zur blauen Ente": {
                "latitude": 51.050409,
                "longitude": 13.737262,
                "address": "Am Markt 1; Hinterhaus",
                "city": "Dresden",
                "postalCode": "01999",
                "rating": 3.9,
            },
        },
    },
    "french": {
        "file": "french.csv",
        "options": "--name-col NOM --address-col adresse --col postalCode=code-postal --city-col commune",
        "counts": (3, 3, 0),
        "messages": [],
        "records": {
            "La Table Inventée": {
                "latitude": 48.8566,
                "longitude": 2.3522,
                "address": "12 rue du Conte",
                "city": "Paris",
                "postalCode": "75099",
                "phone": "01 55 50 01 01",
            },
            "Le Bistrot Perdu": {"latitude": 43.7102, "longitude": 7.262, "city": "Nice", "postalCode": "06999"},
        },
    },
    "windows-1252-as-utf8": {"file": "windows-1252.csv", "status": REFUSED, "messages": NOT_UTF8},
    "windows-1252": {
        "file": "windows-1252.csv",
        "options": "--encoding windows-1252",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Café de l’Été": {
                "id": "1",
                "latitude": 47.2378,
                "longitude": 6.0241,
                "address": "1 rue Rêvée",
                "city": "Besançon",
            }
        },
    },
    # tables without a header, with other separators and other names of columns
    "headerless-refused": {"file": "headerless.csv", "status": REFUSED, "messages": [r"header.*--header"]},
    "headerless": {
        "file": "headerless.csv",
        "options": "--header id,name,address,city,state,lat,lon",
        "counts": (3, 3, 0),
        "messages": [],
        "records": HEADERLESS,
    },
    "geonames-refused": {"file": "geonames.txt", "status": REFUSED, "messages": [r"header.*--header"]},
    "geonames": {
        "file": "geonames.txt",
        "options": "--header geonameid,name,asciiname,alternatenames,latitude,longitude,class,code,"
        "country_code,cc2,admin1,admin2,admin3,admin4,population,elevation,dem,timezone,modified "
        "--id-col geonameid --category-col code",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Märchen Gasthof": {
                "id": "9000002",
                "latitude": 47.80949,
                "longitude": 13.05501,
                "countryCode": "AT",
                "category": "REST",
            }
        },
    },
    "pipes": {
        "file": "pipes.txt",
        "counts": (2, 2, 0),
        "records": {
            "Fable & Sons": {
                "id": "1",
                "latitude": 36.154,
                "longitude": -95.9928,
                "address": "1 Invented Way",
                "city": "Tulsa",
                "rating": 4.2,
            },
            "Pretend Palace": {
                "latitude": 36.15,
                "longitude": -95.99,
                "address": "2 Invented Way, Rear",
                "city": "Tulsa",
            },
        },
    },
    "pipes-told": {"file": "pipes.txt", "options": "--delimiter '|'", "counts": (2, 2, 0), "messages": []},
    "lat-lng": {
        "file": "lat-lng.csv",
        "counts": (2, 2, 0),
        "records": {
            "Invented Ices": {
                "id": "A1",
                "latitude": 41.2565,
                "longitude": -95.9345,
                "address": "1 Fable Rd",
                "city": "Omaha",
                "rating": 4.5,
                "reviewCount": 31,
            }
        },
    },
    "location-lat-long": {
        "file": "location-lat-long.csv",
        "counts": (2, 2, 0),
        "records": {
            "Bistro Bluff": {
                "latitude": 51.3811,
                "longitude": -2.359,
                "address": either("11 Fable Rd", "Fable Rd"),
                "city": "Bath",
                "postalCode": "BA99 1AA",
                "priceLevel": 2,
            }
        },
    },
    "gps-columns": {
        "file": "latitude-longitude-degrees.csv",
        "options": "--lat-col gps-latitude --lon-col 'GPS Longitude' --address-col site_address",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Quoted Quiche": {
                "id": "1",
                "latitude": 39.5296,
                "longitude": -119.8138,
                "address": '1 "Old" Fable Rd',
                "city": "Reno",
                "postalCode": "89599",
            }
        },
    },
    "coordinates-pair": {
        "file": "coordinates-pair.tsv",
        "options": "--point-col coordinates",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {"Pair Pizza": {"latitude": 40.4406, "longitude": -79.9959, "address": "1 Fable St"}},
    },
    # more tables of cities and offices
    "dallas-inspections": {
        "file": "dallas-inspections.csv",
        "options": "--point-col 'lat long location' --duplicates last",
        "counts": (3, 2, 0),
        "messages": [],
        "records": {
            "FRESHLY INVENTED": {
                "latitude": 32.8001,
                "longitude": -96.8002,
                "address": "2414 FABLE RD",
                "postalCode": "75299",
                "extra": {"Inspection Score": "99"},
            }
        },
    },
    "toronto-dinesafe": {
        "file": "toronto-dinesafe.csv",
        "options": "--id-col establishment_id --address-col establishment-address --category-col establishmenttype "
        "--duplicates first",
        "counts": (3, 2, 0),
        "messages": [],
        "records": {
            "INVENTED NOODLES": {
                "id": "9000001",
                "latitude": 43.6532,
                "longitude": -79.3832,
                "address": "1 FABLE ST, Unit-2",
                "category": "Restaurant",
                "extra": {"Infraction Details": "FAIL TO CLEAN"},
            }
        },
    },
    "paris-terraces": {
        "file": "paris-terraces.csv",
        "options": "--name-col \"nom de l'enseigne\" --address-col 'Numéro et voie' --postal-code-col arrondissement",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "LE CAFE INVENTE": {
                "latitude": 48.86,
                "longitude": 2.38,
                "address": "12 RUE IMAGINEE",
                "postalCode": "75011",
                "extra": {"Longueur": "3,5"},
            }
        },
    },
    "paris-terraces-unnamed": {
        "file": "paris-terraces.csv",
        "status": REFUSED,
        "messages": [r"name.*\"Nom de l'enseigne\".*--name-col"],
    },
    "melbourne-cafes": {
        "file": "melbourne-cafes.csv",
        "options": "--duplicates first",
        "counts": (3, 2, 0),
        "messages": [],
        "records": {
            "Fable Pho": {"latitude": -37.8, "longitude": 144.97, "address": "9 Pretend Lane CARLTON 3053"}
        },
    },
    "montreal": {
        "file": "montreal.csv",
        "counts": (2, 1, 1),
        "messages": [NO_POSITION],
        "records": {
            "CASSE-CROÛTE INVENTÉ": {
                "id": "90001",
                "latitude": 45.5017,
                "longitude": -73.5673,
                "address": "1 Rue Fictive , Montréal, Québec",
                "city": "Montréal",
                "state": "Québec",
                "category": "Restaurant",
            }
        },
    },
    "farmers-markets": {
        "file": "farmers-markets.csv",
        "options": "--name-col marketname --id-col fmid",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Fable Farmers Market": {
                "id": "9000001",
                "latitude": 44.41,
                "longitude": -72.14,
                "address": "1 Fable Square",
                "city": "Danville",
                "state": "Vermont",
                "postalCode": "05899",
                "facebook": either("https://www.facebook.example/fable", None),
                "website": "https://fable.example/",
            }
        },
    },
    "poi-headerless-refused": {"file": "poi-headerless.csv", "status": REFUSED, "messages": [r"header.*--header"]},
    "poi-headerless": {
        "file": "poi-headerless.csv",
        "options": "--no-header --lon-col 1 --lat-col 2 --name-col 3 --address-col 4",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Invented-Anchorage,AK": {
                "latitude": 61.13712,
                "longitude": -149.95038,
                "address": "3828 W Fable Blvd, Anchorage,AK, (907) 555-0101",
            }
        },
    },
    "zomato-bangalore": {
        "file": "zomato-bangalore.csv",
        "status": REFUSED,
        "messages": [r"no latitude and longitude.*\"address\".*--lat-col"],
    },
    "ogr2ogr-wkt": {
        "file": "ogr2ogr-wkt.csv",
        "counts": (2, 1, 1),
        "messages": ["name is missing"],
        "records": {"Imbiss Erfunden": {"latitude": 52.5, "longitude": 13.4}},
    },
    "excel-sep": {
        "file": "excel-sep.csv",
        "options": "--id-col nr --city-col ort --col address=STRAßE",
        "counts": (2, 2, 0),
        "messages": [],
        "records": {
            "Gasthof Märchen": {
                "id": "1",
                "latitude": 48.13,
                "longitude": 11.57,
                "address": either("Fabelweg 3", "Fabelweg"),
                "city": "München",
                "postalCode": "80999",
            }
        },
    },
    "excel-unicode": {
        "file": "excel-unicode.txt",
        "counts": (1, 1, 0),
        "messages": [],
        "records": {"Unicode Udon": {"latitude": 35.1, "longitude": 139.2, "address": "1 Fable St"}},
    },
    "google-saved-places": {
        "file": "google-saved-places.json",
        "options": "--name-col location.name",
        "counts": (2, 1, 1),
        "messages": [f"{AT_ZERO}|name is missing"],
        "records": {
            "Invented Grill": {
                "latitude": 32.9,
                "longitude": -96.8,
                "address": either(None, "1 Fable St, Dallas, TX 75299, USA"),
                "countryCode": either(None, "US"),
                "website": either(None, "http://maps.google.example/?cid=1"),
            }
        },
    },
    "singapore-hawker": {
        "file": "singapore-hawker.geojson",
        "counts": (2, 2, 0),
        "records": {"kml_1": {"latitude": 1.29, "longitude": 103.85}},
    },
    # what is not a feed is named, with the line that converts it
    "data-root": {
        "file": "data-root.json",
        "counts": (2, 2, 0),
        "records": {"Wrapped Wraps": {"id": "1", "latitude": 37.5, "longitude": -77.4}},
    },
    # GDAL, which the set-up of the tests installs, reads what is whole
    "google-earth-kml": {
        "file": "google-earth.kml",
        "counts": (1, 1, 0),
        "messages": [r"not recognized, kept in extra: tessellate"],
        "records": {"Pinned Pizza": {"latitude": 37.5, "longitude": -77.4}},
    },
    "yaml": {"file": "places.yaml", "status": REFUSED, "messages": [r"YAML.*yq"]},
    "tar": {"file": "yelp.tar", "status": REFUSED, "messages": [r"tar.*tar -?x"]},
    "zipped-json": {"file": "zipped.json.zip", "status": REFUSED, "messages": [r"(?i)zip.*unzip"]},
    "zipped-shapefile": {"file": "gis-free-shp.zip", "status": REFUSED, "messages": [r"(?i)zip.*shape|shape.*zip"]},
    "shapefile": {"file": "places.shp", "status": REFUSED, "messages": [r"this is a shapefile, but ogrinfo failed.*shx"]},
    "flatgeobuf": {"file": "places.fgb", "status": REFUSED, "messages": [r"FlatGeobuf has no layer"]},
    # several files in one command
    "several-files": {
        "file": "lat-lng.csv pipes.txt",
        "counts": (4, 4, 0),
    },
}
